import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError } from '#kernel/errors';
import { WriteDatabase } from '#platform/database';

/**
 * Epochs of the feed. Transaction ids order the feed only within one life of a PostgreSQL cluster: after a dump and
 * restore, new ids may be lower than stored ones. Events of the next epoch come after all earlier events.
 */
@Injectable()
export class Epochs implements OnModuleInit {
  constructor(private readonly database: WriteDatabase) {}

  onModuleInit(): Promise<void> {
    return this.verify();
  }

  /** @throws DomainError `new_epoch_needed` when new events would come before stored ones in the feed */
  async verify(): Promise<void> {
    const overtaken = await this.overtaken();
    if (!overtaken) return;
    throw new DomainError(
      'unavailable',
      'new_epoch_needed',
      `This server's next transaction id is ${overtaken.next}, and the store knows of transaction ${overtaken.highest}: ` +
        'it was restored from another server. Open the next epoch: cli store new-epoch',
    );
  }

  /**
   * Detects a restored store.
   * @returns `next`, the server's next transaction id, and a known one that is not lower: of a stored event, or of a
   * webhook endpoint, which receives only later events; undefined when there is none
   */
  async overtaken(): Promise<{ highest: string; next: string } | undefined> {
    const { rows } = await this.database.pool.query<{ highest: string; next: string }>(
      `with epoch as (select max(epoch) as latest from event_store.epochs), known as (
         select e.transaction_id
         from generate_series(0, (select partitions - 1 from platform.installation)) as p(partition)
         cross join lateral (
           select f.transaction_id from event_store.events f
           where f.partition = p.partition and f.epoch = (select latest from epoch)
           order by f.epoch desc, f.transaction_id desc limit 1
         ) e
         union all
         select since_transaction_id from webhooks.endpoints where since_epoch = (select latest from epoch)
       )
       select transaction_id as highest, pg_snapshot_xmax(pg_current_snapshot()) as next
       from known where transaction_id >= pg_snapshot_xmax(pg_current_snapshot()) limit 1`,
    );
    return rows[0];
  }

  /** Opens the next epoch, after the appends in progress have ended. @returns its number */
  open(): Promise<number> {
    return this.database.transaction(async (client) => {
      await client.query('lock table event_store.epochs in access exclusive mode');
      const { rows } = await client.query<{ epoch: number }>(
        'insert into event_store.epochs (epoch) select max(epoch) + 1 from event_store.epochs returning epoch',
      );
      return rows[0].epoch;
    });
  }
}
