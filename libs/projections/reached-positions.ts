import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Position } from '#event-store/position';
import { DomainError } from '#kernel/errors';
import { pauseBetweenLooks } from '#kernel/looks';
import { ReadDatabase } from '#platform/database';
import type { TenantRef } from '#platform/request-context';
import { Projections } from './projections';

const WAIT_MS = 5_000;
const POLL_MS = 50;
/** A read model that stands still must not make those who wait for it keep the database busy. */
const LOOKS = { first: 5, last: POLL_MS };
/** A held tenant stands still for minutes, a parked one until somebody mends it: requests do not wait for them. */
const STANDING_RETRY_SECONDS = '30';

/** Waits until the read models have reached a position. */
@Injectable()
export class ReachedPositions {
  constructor(
    private readonly database: ReadDatabase,
    private readonly projections: Projections,
  ) {}

  /**
   * Waits until every read model has reached the position for the tenant.
   * @param what the name of the position in the error message
   * @throws DomainError `position_not_reached` (503) after `waitMs`, or at once while the tenant is held or parked in a
   * read model that has not reached the position
   */
  async reach(tenant: TenantRef, position: Position, what: string, waitMs = WAIT_MS): Promise<void> {
    const begunAt = performance.now();
    for (;;) {
      const { behind, stands } = await this.standing(tenant, position);
      if (!behind) return;
      const waited = performance.now() - begunAt;
      if (stands || waited >= waitMs) {
        const detail = `The read models have not come as far as ${what} yet; try again.`;
        const headers = { 'Retry-After': stands ? STANDING_RETRY_SECONDS : '1' };
        throw new DomainError('unavailable', 'position_not_reached', detail, [], headers);
      }
      await delay(pauseBetweenLooks(waited, LOOKS));
    }
  }

  /**
   * Like `reach`, without a time limit, because the read models may be far behind after a bulk append.
   * @throws DomainError `read_model_parked` (503) when a read model no longer follows the tenant; the signal's reason
   */
  async follow(tenant: TenantRef, position: Position, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      if (!(await this.standing(tenant, position)).behind) return;
      await this.refuseParked(tenant);
      await delay(POLL_MS);
    }
  }

  private async refuseParked({ id, alias }: TenantRef): Promise<void> {
    const { rows } = await this.database.pool.query<{ projection: string }>(
      'select projection from read_model.parked where tenant_id = $1 order by projection limit 1',
      [id],
    );
    if (rows.length === 0) return;
    const detail = `The read model ${rows[0].projection} does not follow ${alias} any more.`;
    throw new DomainError('unavailable', 'read_model_parked', detail);
  }

  private async standing(tenant: TenantRef, { epoch, transactionId, position }: Position) {
    const { rows } = await this.database.pool.query<{ behind: boolean; stands: boolean }>({
      name: 'projections.reached',
      text: `
        select cardinality($6::text[]) > count(*) filter (where reached) as behind,
          coalesce(bool_or(parked and not reached), false) as stands
        from (
          select distinct on (projection) t.projection, t.parked,
            coalesce((c.epoch, c.transaction_id, c.position) >= ($3, $4::xid8, $5), false) as reached
          from read_model.tracks t
          left join read_model.checkpoints c
            on (c.projection, c.generation, c.tenant_id, c.partition) = (t.projection, t.generation, t.tenant_id, $2)
          where t.tenant_id in (0, $1) and t.projection = any($6) order by t.projection, t.tenant_id desc
        ) own`,
      values: [
        tenant.id,
        tenant.partition,
        epoch,
        transactionId.toString(),
        position.toString(),
        // Only projections of this program: a newer program may have added others, which nobody builds yet.
        this.projections.all.map(({ name }) => name),
      ],
    });
    return rows[0];
  }
}
