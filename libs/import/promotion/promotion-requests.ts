import { Injectable } from '@nestjs/common';
import { type Client, type ClientBase, DatabaseError } from 'pg';
import { conflict } from '#kernel/errors';
import { type RegisteredTenant, tenantColumns } from '#platform/auth/tenants';
import { leaseOver } from '#platform/database/lease-over';
import type { PromotedCounts } from '../arrivals/imported-records';
import { withdrawStaging } from '../loading/staging-tenants';
import {
  importInProgress,
  LeaseLost,
  promotable,
  type RequestRow,
  underWay,
} from '../requests/import-request';
import { LeasedRequests, type TakenRequest } from '../requests/leased-requests';
import { StagingArea } from '../staging/staging-area';
import type { PromotionStep } from './promotion-run';

export interface TakenPromotion extends TakenRequest {
  step: PromotionStep;
}

const messages: Record<PromotionStep, string> = {
  Checking: 'Checking every row against the tenant as it is now.',
  Appending: 'Adding the records to the tenant.',
  Renewing: 'Building the lists and reports with the records.',
  Announcing: 'Making the import visible.',
};

/** The outcome of a promotion, and the message of its status. */
export interface PromotionEnding {
  outcome: 'Promoted' | 'PromotionFailed' | 'Cancelled';
  message: string;
  counts?: PromotedCounts;
}

/** The end of a cancelled promotion. */
export const cancelledPromotion: PromotionEnding = {
  outcome: 'Cancelled',
  message: 'Cancelled on request. Nothing was changed in the tenant.',
};

/** The queue of promotions. */
@Injectable()
export class PromotionRequests extends LeasedRequests {
  /**
   * Queues the promotion of a valid import. Does nothing if it is queued already.
   * @param request a request of the tenant, whose row the caller has locked
   * @throws DomainError `not_promotable`, `import_in_progress` (409)
   */
  async queue(
    client: ClientBase,
    request: Pick<RequestRow, 'id' | 'status' | 'is_kept'>,
    actor: string,
  ): Promise<void> {
    if (request.status === 'Promoted' || underWay.some((status) => status === request.status)) return;
    if (!promotable.includes(request.status) || !request.is_kept)
      throw conflict(
        'not_promotable',
        `Only an import that was found valid can be promoted; this one is ${request.status}.`,
      );
    const ask = client.query(
      `update import.requests
       set kind = 'Promotion', status = 'PromotionQueued', message = 'Waiting for a worker.', requested_by = $2,
         promotion_step = 'Checking', cancel_requested = false, deaths = 0, rows_per_second = null,
         started_at = null, finished_at = null, updated_at = now()
       where id = $1`,
      [request.id, actor],
    );
    // Another promotion of the tenant may be queued at the same moment: only the unique index can tell.
    await ask.catch((error) => {
      if (!(error instanceof DatabaseError) || error.constraint !== 'requests_live') throw error;
      throw importInProgress();
    });
    await client.query('update import.tables set loaded = 0 where request_id = $1', [request.id]);
  }

  /** Takes the oldest promotion that no worker holds. */
  async take(worker: string): Promise<TakenPromotion | undefined> {
    const { rows } = await this.database.pool.query(
      `with next as (
         select id from import.requests
         where status = any($2) and ${leaseOver('leased_until', '$3')}
         order by updated_at, id limit 1 for update skip locked
       )
       update import.requests r
       set leased_by = $1, leased_until = clock_timestamp() + $3 * interval '1 millisecond', status = 'Promoting',
         message = case when r.status = 'PromotionQueued' then $4 else r.message end, started_at = coalesce(r.started_at, now()), updated_at = now(),
         deaths = r.deaths + (r.leased_by is not null)::int
       from next, platform.tenants t where r.id = next.id and t.id = r.tenant_id
       returning r.id as "requestId", r.requested_by as "requestedBy", r.promotion_step as step, r.deaths,
         ${tenantColumns('t')}`,
      [worker, underWay, this.settings.leaseMs, messages.Checking],
    );
    if (rows.length === 0) return undefined;
    const [{ requestId, requestedBy, step, deaths, ...tenant }] = rows;
    return { requestId, requestedBy, step, deaths, tenant };
  }

  /**
   * Whether a promotion to the tenant continues without this worker: another worker holds it or will take it, or some of its
   * records have arrived, even if no worker has taken it over yet.
   */
  async goesOn(client: ClientBase, { id }: RegisteredTenant, worker: string): Promise<boolean> {
    const { rowCount } = await client.query(
      `select from import.requests where tenant_id = $1 and status = any($2)
         and (leased_by is distinct from $3 or promotion_step <> 'Checking')`,
      [id, underWay, worker],
    );
    return rowCount !== 0;
  }

  /**
   * Begins the next step. From the second step on a promotion cannot be cancelled.
   * @returns false when its cancellation is requested
   * @throws LeaseLost
   */
  async advance(id: string, worker: string, to: PromotionStep): Promise<boolean> {
    const { rows } = await this.database.pool.query<{ unwanted: boolean }>(
      `update import.requests
       set promotion_step = case when cancel_requested and promotion_step = 'Checking' then promotion_step else $3 end,
         message = $4, updated_at = now(), rows_per_second = null
       where id = $1 and leased_by = $2 returning promotion_step <> $3 as unwanted`,
      [id, worker, to, messages[to]],
    );
    if (rows.length === 0) throw new LeaseLost();
    return !rows[0].unwanted;
  }

  /**
   * Ends a promotion. If it was promoted or cancelled, the staged rows are dropped, which waits for sessions that read
   * them. After a failure they are kept for another try, unless the cancellation was requested meanwhile.
   * @param goOn called while the end waits; throws the reason to stop waiting
   * @returns the outcome that was stored
   * @throws LeaseLost
   */
  end(
    id: string,
    worker: string,
    asked: PromotionEnding,
    goOn?: () => void,
  ): Promise<PromotionEnding['outcome']> {
    const end = async (client: Client, isCancelled: boolean) => {
      const hasFailed = asked.outcome === 'PromotionFailed';
      const isKept = hasFailed && !isCancelled;
      const { outcome, message, counts } = hasFailed && !isKept ? cancelledPromotion : asked;
      await client.query(
        `update import.requests r
         set status = $2, message = $3, is_kept = $4, leased_by = null, leased_until = null, rows_per_second = null,
           created_records = $5, changed_records = $6, updated_at = now(), finished_at = now(),
           errors = (select count(*) from import.findings f where f.request_id = r.id and f.severity = 'error'),
           warnings = (select count(*) from import.findings f where f.request_id = r.id and f.severity = 'warning')
         where id = $1`,
        [id, outcome, message, isKept, counts?.created ?? null, counts?.changed ?? null],
      );
      if (!isKept) await new StagingArea(id).drop(client);
      if (outcome === 'Cancelled') await withdrawStaging(client, id);
      return outcome;
    };
    return this.ending(id, worker, end, goOn);
  }
}
