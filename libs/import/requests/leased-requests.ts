import { Injectable } from '@nestjs/common';
import type { Client, ClientBase } from 'pg';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { WriteDatabase } from '#platform/database';
import { transactionAlone } from '#platform/database/alone';
import { ImportSettings } from '../import-settings';
import { LeaseLost } from './import-request';

/** A request that a worker has taken. */
export interface TakenRequest {
  requestId: string;
  tenant: RegisteredTenant;
  requestedBy: string;
  /** The number of turns that died during the request's current step. */
  deaths: number;
}

/**
 * Requests that a worker holds by a lease, which it renews. Every change names the worker, so that one whose lease has
 * passed to another changes nothing any more.
 */
@Injectable()
export abstract class LeasedRequests {
  constructor(
    readonly database: WriteDatabase,
    readonly settings: ImportSettings,
  ) {}

  /**
   * Renews the lease of a request.
   * @returns whether its cancellation is requested, which counts only until a promotion appends its first record;
   *   undefined when another worker holds the request
   */
  async renew(id: string, worker: string, rowsPerSecond?: number): Promise<boolean | undefined> {
    const { rows } = await this.database.pool.query<{ unwanted: boolean }>(
      `update import.requests
       set leased_until = clock_timestamp() + $3 * interval '1 millisecond', updated_at = now(),
         rows_per_second = coalesce($4, rows_per_second)
       where id = $1 and leased_by = $2
       returning cancel_requested and coalesce(promotion_step = 'Checking', true) as unwanted`,
      [id, worker, this.settings.leaseMs, rowsPerSecond ?? null],
    );
    return rows.at(0)?.unwanted;
  }

  /** Gives a request up: another worker may take it, after `retryMs`. @param message of its status; absent: as it was */
  async release(id: string, worker: string, retryMs = 0, message?: string): Promise<void> {
    await this.database.pool.query(
      `update import.requests
       set leased_by = null, leased_until = clock_timestamp() + $3 * interval '1 millisecond',
         message = coalesce($4, message)
       where id = $1 and leased_by = $2`,
      [id, worker, retryMs, message ?? null],
    );
  }

  /**
   * Ends a request in one transaction, which may need the staged tables for itself.
   * @param end writes the end, and returns it; is told whether the request's cancellation was accepted meanwhile
   * @param goOn called while the end waits; throws the reason to stop waiting
   * @throws LeaseLost
   */
  protected async ending<End>(
    id: string,
    worker: string,
    end: (client: Client, isCancelled: boolean) => Promise<End>,
    goOn?: () => void,
  ): Promise<End> {
    const client = await this.database.session();
    const work = async () => {
      const { rows } = await client.query<{ cancel_requested: boolean }>(
        'select cancel_requested from import.requests where id = $1 and leased_by = $2 for update',
        [id, worker],
      );
      if (rows.length === 0) throw new LeaseLost();
      return end(client, rows[0].cancel_requested);
    };
    try {
      return await transactionAlone(client, work, goOn);
    } finally {
      await client.end();
    }
  }
}

/**
 * Locks the lease for a transaction that only the request's worker may make: a worker that has lost the request is
 * refused, and a worker that takes it over waits until this transaction has ended.
 * @throws LeaseLost
 */
export async function requireLease(client: ClientBase, requestId: string, worker: string): Promise<void> {
  const { rowCount } = await client.query(
    'select from import.requests where id = $1 and leased_by = $2 for share',
    [requestId, worker],
  );
  if (rowCount === 0) throw new LeaseLost();
}
