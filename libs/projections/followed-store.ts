import { Injectable, type OnModuleInit } from '@nestjs/common';
import { printPosition, START } from '#event-store/position';
import { DomainError } from '#kernel/errors';
import { ReadDatabase, WriteDatabase } from '#platform/database';

interface Checkpoint {
  partition: number;
  /** As printPosition has it. */
  at: string;
}

/**
 * Read models in a database of their own stay as they are when the store is restored to an earlier state: they show what
 * is no more, and what comes next may stand before their checkpoints, and would never come into them.
 */
@Injectable()
export class FollowedStore implements OnModuleInit {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly writes: WriteDatabase,
  ) {}

  /** @throws DomainError `read_models_of_another_store` when a read model has come to an event that the store has not */
  async onModuleInit(): Promise<void> {
    const strange = await this.strange();
    if (!strange) return;
    throw new DomainError(
      'unavailable',
      'read_models_of_another_store',
      `The read models have come to ${strange.at} in partition ${strange.partition}, where the store has no event: ` +
        'it was restored to an earlier state, or is another one. Build them again: cli projections rebuild --all, ' +
        'or set READ_DATABASE_URL to an empty database',
    );
  }

  /** A checkpoint that is no event's. */
  private async strange(): Promise<Checkpoint | undefined> {
    const { rows: checkpoints } = await this.reads.pool.query<Checkpoint>(
      `select distinct c.partition, c.epoch || '.' || c.transaction_id || '.' || c.position as at
       from read_model.tracks t join read_model.checkpoints c using (projection, generation, tenant_id)
       where c.epoch || '.' || c.transaction_id || '.' || c.position <> '${printPosition(START)}'`,
    );
    const { rows } = await this.writes.pool.query<Checkpoint>(
      `select * from unnest($1::smallint[], $2::text[]) c(partition, at)
       where not exists (
         select from event_store.events e
         where e.partition = c.partition and e.epoch = split_part(c.at, '.', 1)::int
           and e.transaction_id = split_part(c.at, '.', 2)::xid8 and e.position = split_part(c.at, '.', 3)::bigint
       ) limit 1`,
      [checkpoints.map(({ partition }) => partition), checkpoints.map(({ at }) => at)],
    );
    return rows[0];
  }
}
