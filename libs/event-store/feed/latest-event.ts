import { Injectable } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import type { TenantRef } from '#platform/request-context';
import { type Position, parsePosition } from '../position';

/** Finds the end of a tenant's events. */
@Injectable()
export class LatestEvent {
  constructor(private readonly database: WriteDatabase) {}

  /**
   * The position of the tenant's last event after another position, whether or not the feed delivers that event yet;
   * undefined if there is none. The query scans the tenant's partition backwards.
   */
  async of({ id, partition }: Pick<TenantRef, 'id' | 'partition'>, after: Position) {
    const { rows } = await this.database.pool.query<{ at: string }>({
      name: 'event_store.latest_event',
      text: `
        select epoch || '.' || transaction_id || '.' || position as at from event_store.events
        where partition = $2 and tenant_id = $1 and (epoch, transaction_id, position) > ($3, $4::xid8, $5)
        order by epoch desc, transaction_id desc, position desc limit 1`,
      values: [id, partition, after.epoch, after.transactionId.toString(), after.position.toString()],
    });
    return rows.length > 0 ? parsePosition(rows[0].at) : undefined;
  }
}
