import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Semaphore } from 'async-mutex';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { CustomTypesConfig, PoolClient, QueryArrayResult } from 'pg';
import { ReadDatabase } from '#platform/database';
import { STANDING_STILL } from '#platform/database/connection';
import { busy } from '#platform/database/tenant-shares';
import type { Query } from './sql/building';

/** Limit for each connection. A prepared statement takes some 300 kB of memory in the server process. */
const MAXIMUM_PREPARED = 50;

/** Leaves all values as PostgreSQL prints them: the reader of a row parses a value by its column's type. */
const printed: CustomTypesConfig = { getTypeParser: () => (value: unknown) => value };

/**
 * Delay before a second cancel request. The server ignores a cancel request that arrives before the statement has
 * begun, which happened to 1 in 100 statements that were cancelled right after they were sent.
 */
const CANCEL_AGAIN_MS = 100;
const TOO_MANY = busy(
  'reports_busy',
  'Other lists and reports of this tenant take all the time that it may have: ask again when they are done.',
);
const UNREAD = busy(
  'reports_busy',
  'Answers to other requests of this tenant have not been read yet: ask again when they are.',
);

/** State of a connection. */
interface Known {
  /** Names of the statements that are prepared on the connection, by their text. */
  prepared: LRUCache<string, string>;
  /** Process id of the server process behind the connection. */
  pid: number;
}

/** Thrown by work whose queries showed that what they assume does not hold. */
export class NotAsAssumed extends Error {}

/** The request that a query is run for. */
export interface Reader {
  tenantId: number;
  /** The request's signal. Once it aborts nobody waits for the answer: the client has read it, or has left. */
  gone: AbortSignal;
}

/** Rows as arrays of values in PostgreSQL's text format. */
export type Ask = (query: Query) => Promise<(string | null)[][]>;

/** State of a request that is being answered. */
interface Answering {
  /** Limits the request to its tenant's share: if it asks for more at once, it waits for itself. */
  turn: Semaphore;
  /** Characters that the request has read. */
  size: number;
}

/**
 * Runs the reports' queries. A query whose plan suits all values is prepared on its connection, because PostgreSQL took
 * longer to plan a page than to read it. The queries of one tenant use at most half of the connections, which leaves
 * connections for other tenants.
 */
@Injectable()
export class ReportStatements {
  private readonly known = new WeakMap<PoolClient, Known>();
  private readonly answering = new WeakMap<AbortSignal, Answering>();
  /** By tenant: characters of answers that this process holds in memory until the clients have read them. */
  private readonly unread = new Map<number, number>();
  /** A tenant with more unread characters than these gets no further answers. */
  mostUnread = 128_000_000;
  private named = 0;

  constructor(private readonly database: ReadDatabase) {}

  /** @throws DomainError reports_busy: other queries of the tenant take too long, or its answers have not been read */
  rows(query: Query, reader: Reader): Promise<(string | null)[][]> {
    return this.inTurn(reader, (ask) => ask(query));
  }

  /**
   * Runs work whose queries all see the same snapshot.
   * @param tables tables that the work may query: while they are locked, no generation that was live at the snapshot is
   * dropped
   * @throws as `rows`
   */
  atOneMoment<Result>(
    tables: readonly string[],
    reader: Reader,
    work: (ask: Ask) => Promise<Result>,
  ): Promise<Result> {
    const locked = tables.map((table) => `only read_model.${table}`).join(', ');
    return this.inTurn(reader, async (ask, client) => {
      await client.query(`begin isolation level repeatable read, read only; ${STANDING_STILL}`);
      try {
        await ask({ text: `lock table ${locked} in access share mode`, values: [], recurs: false });
        const result = await work(ask);
        await client.query('commit');
        return result;
      } catch (error) {
        // After any other failure the connection is closed.
        if (isWell(error, reader.gone)) await client.query('rollback');
        throw error;
      }
    });
  }

  private inTurn<Result>(
    reader: Reader,
    work: (ask: Ask, client: PoolClient) => Promise<Result>,
  ): Promise<Result> {
    const { tenantId, gone } = reader;
    const request = this.answeringOf(reader);
    return request.turn.runExclusive(() =>
      this.database.shares.run(tenantId, TOO_MANY, async () => {
        if ((this.unread.get(tenantId) ?? 0) - request.size > this.mostUnread) throw UNREAD;
        return this.connected(gone, (client, known) =>
          work(async (query) => {
            gone.throwIfAborted();
            const rows = await this.ask(client, known, query, gone);
            if (!gone.aborted) this.keep(request, tenantId, sizeOf(rows));
            return rows;
          }, client),
        );
      }),
    );
  }

  private answeringOf({ tenantId, gone }: Reader): Answering {
    const known = this.answering.get(gone);
    if (known) return known;
    const request: Answering = { turn: new Semaphore(this.database.shares.each), size: 0 };
    this.answering.set(gone, request);
    gone.addEventListener('abort', () => this.keep(request, tenantId, -request.size));
    return request;
  }

  private keep(request: Answering, tenantId: number, size: number): void {
    request.size += size;
    const all = (this.unread.get(tenantId) ?? 0) + size;
    if (all === 0) this.unread.delete(tenantId);
    else this.unread.set(tenantId, all);
  }

  private async connected<Result>(
    gone: AbortSignal,
    work: (client: PoolClient, known: Known) => Promise<Result>,
  ): Promise<Result> {
    gone.throwIfAborted();
    const client = await this.database.pool.connect();
    try {
      const result = await work(client, await this.knownOf(client));
      client.release();
      return result;
    } catch (error) {
      client.release(!isWell(error, gone));
      throw error;
    }
  }

  private async ask(
    client: PoolClient,
    { prepared, pid }: Known,
    { text, values, recurs }: Query,
    gone: AbortSignal,
  ): Promise<(string | null)[][]> {
    let isInHand = true;
    let cancelled: Promise<void> | undefined;
    const cancel = () => {
      cancelled = this.database.cancel(pid).then(async () => {
        await delay(CANCEL_AGAIN_MS);
        if (isInHand) await this.database.cancel(pid);
      });
    };
    gone.addEventListener('abort', cancel);
    try {
      const name = recurs ? this.nameOf(text, prepared) : undefined;
      const config = { name, text, values, rowMode: 'array' as const, types: printed };
      const asked = client.query(config).finally(() => {
        isInHand = false;
      });
      const { rows }: QueryArrayResult<(string | null)[]> = await asked;
      // The connection's next query must not be hit by a pending cancel request.
      await cancelled;
      return rows;
    } finally {
      gone.removeEventListener('abort', cancel);
    }
  }

  /**
   * The state of a connection. Its process id is queried before anything that may be cancelled, because the server
   * ignores a cancel request that arrives before the statement has begun.
   */
  private async knownOf(client: PoolClient): Promise<Known> {
    const before = this.known.get(client);
    if (before) return before;
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const known = { prepared: preparedOn(client), pid: rows[0].pid };
    this.known.set(client, known);
    return known;
  }

  private nameOf(text: string, prepared: Known['prepared']): string {
    let name = prepared.get(text);
    if (!name) {
      name = `report-${++this.named}`; // never a name that the connection has had before
      prepared.set(text, name);
    }
    return name;
  }
}

/**
 * Whether the connection can be reused: an abort for that reason came before any query was sent, and the others do not
 * come from the server.
 */
function isWell(error: unknown, gone: AbortSignal): boolean {
  return error === gone.reason || error instanceof GraphQLError || error instanceof NotAsAssumed;
}

function sizeOf(rows: (string | null)[][]): number {
  return rows.reduce((sum, row) => row.reduce((size, value) => size + (value?.length ?? 0), sum), 0);
}

function preparedOn(client: PoolClient): Known['prepared'] {
  const { parsedStatements } = client.connection as unknown as Parsing;
  return new LRUCache({
    max: MAXIMUM_PREPARED,
    dispose: (name) => {
      // This is queued before the next query. Where it fails, the next query fails too.
      client.query(`deallocate "${name}"`).catch(() => undefined);
      delete parsedStatements[name];
    },
  });
}

/** Internals of the driver: it keeps the text of every statement that a connection ever prepared, by its name. */
interface Parsing {
  parsedStatements: Record<string, string>;
}
