import { Injectable } from '@nestjs/common';
import type { Client, ClientBase } from 'pg';
import { tenantColumns } from '#platform/auth/tenants';
import { leaseOver } from '#platform/database/lease-over';
import { sealedText } from '#platform/resealing';
import { withdrawStaging } from '../loading/staging-tenants';
import { StagingArea } from '../staging/staging-area';
import {
  cancelled,
  LeaseLost,
  messages,
  needsSource,
  type Outcome,
  promotable,
  type Step,
  steps,
} from './import-request';
import { LeasedRequests, type TakenRequest } from './leased-requests';

export const sealedConnections = sealedText('import.requests', ['id'], 'connection');

export interface TakenImport extends TakenRequest {
  status: Step;
  /** The connection string, encrypted. */
  connection: string | null;
}

/** The queue of imports, as workers see it. */
@Injectable()
export class ImportRequests extends LeasedRequests {
  /**
   * Takes the oldest import that no worker holds.
   * @param own the imports that this worker holds, even if their leases have run out
   */
  async take(worker: string, own: readonly string[] = []): Promise<TakenImport | undefined> {
    const { rows } = await this.database.pool.query(
      `with next as (
         select id from import.requests
         where status = any($2) and ${leaseOver('leased_until', '$3')} and id <> all($4)
         order by queued_at, id limit 1 for update skip locked
       )
       update import.requests r
       set leased_by = $1, leased_until = clock_timestamp() + $3 * interval '1 millisecond',
         started_at = coalesce(r.started_at, now()), updated_at = now(),
         deaths = r.deaths + (r.leased_by is not null)::int
       from next, platform.tenants t where r.id = next.id and t.id = r.tenant_id
       returning r.id as "requestId", r.requested_by as "requestedBy", r.status, r.connection, r.deaths,
         ${tenantColumns('t')}`,
      [worker, steps, this.settings.leaseMs, own],
    );
    if (rows.length === 0) return undefined;
    const [{ requestId, requestedBy, status, connection, deaths, ...tenant }] = rows;
    return { requestId, requestedBy, status, connection, deaths, tenant };
  }

  /**
   * Moves an import to its next step. From validation on the source is not needed, and its connection string is deleted.
   * Until then deaths add up: each worker that takes over connects to the source anew.
   * @throws LeaseLost
   */
  async advance(id: string, worker: string, to: Step): Promise<void> {
    const { rowCount } = await this.database.pool.query(
      `update import.requests
       set status = $3, message = $4, updated_at = now(), rows_per_second = null,
         deaths = case when $5 then deaths else 0 end, connection = case when $5 then connection end
       where id = $1 and leased_by = $2`,
      [id, worker, to, messages[to], needsSource(to)],
    );
    if (rowCount === 0) throw new LeaseLost();
  }

  /** Stores the schema version that the source's table Info states. */
  async describe(id: string, worker: string, schemaVersion: string | null): Promise<void> {
    await this.database.pool.query(
      'update import.requests set schema_version = $3 where id = $1 and leased_by = $2',
      [id, worker, schemaVersion],
    );
  }

  /** Stores the number of findings with the request. */
  async count(id: string, worker: string): Promise<{ errors: number; warnings: number }> {
    const { rows } = await this.database.pool.query<{ errors: number; warnings: number }>(
      `update import.requests r set errors = f.errors, warnings = f.warnings
       from (select (count(*) filter (where severity = 'error'))::int as errors,
           (count(*) filter (where severity = 'warning'))::int as warnings
         from import.findings where request_id = $1) f
       where r.id = $1 and r.leased_by = $2 returning r.errors, r.warnings`,
      [id, worker],
    );
    if (rows.length === 0) throw new LeaseLost();
    return rows[0];
  }

  /**
   * Ends an import. The same transaction keeps the staged rows for a promotion if the import is valid, and drops them
   * otherwise; the drop waits for sessions that read them. An import whose cancellation was accepted meanwhile ends as
   * cancelled, whatever its outcome.
   * @param goOn called while the end waits; throws the reason to stop waiting
   * @returns the outcome that was stored
   * @throws LeaseLost
   */
  end(id: string, worker: string, outcome: Outcome, message: string, goOn?: () => void): Promise<Outcome> {
    const end = async (client: Client, isCancelled: boolean) => {
      const ending = isCancelled ? cancelled : { outcome, message };
      const isKept = ending.outcome === 'Validated' || ending.outcome === 'ValidatedWithWarnings';
      await client.query(
        `update import.requests
         set status = $2, message = $3, is_kept = $4, connection = null, leased_by = null, leased_until = null,
           rows_per_second = null, updated_at = now(), finished_at = now()
         where id = $1`,
        [id, ending.outcome, ending.message, isKept],
      );
      const staging = new StagingArea(id);
      await (isKept ? staging.keep(client) : staging.drop(client));
      if (ending.outcome === 'Failed' || ending.outcome === 'Cancelled') await withdrawStaging(client, id);
      return ending.outcome;
    };
    return this.ending(id, worker, end, goOn);
  }

  /** Ends the tenant's earlier imports that wait for a promotion: a tenant has one at most, and the next one begins now. */
  async supersede(client: ClientBase, { requestId, tenant }: TakenRequest): Promise<void> {
    const { rows } = await client.query<{ id: string }>(
      `update import.requests
       set status = 'Cancelled', message = 'A later import has taken its place.', is_kept = false,
         updated_at = now(), finished_at = now()
       where tenant_id = $1 and id <> $2 and is_kept
         and status = any($3) returning id`,
      [tenant.id, requestId, promotable],
    );
    for (const earlier of rows) {
      await new StagingArea(earlier.id).drop(client);
      await withdrawStaging(client, earlier.id);
    }
  }
}
