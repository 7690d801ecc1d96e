import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Semaphore } from 'async-mutex';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { CustomTypesConfig, PoolClient, QueryArrayResult } from 'pg';
import { ReadDatabase } from '#platform/database';
import { STANDING_STILL } from '#platform/database/connection';
import { busy } from '#platform/database/tenant-shares';
import type { Query } from './sql/items';

/** Of each connection. A prepared statement takes some 300 kB of the server's process. */
const MAXIMUM_PREPARED = 50;

/** Everything as PostgreSQL prints it: a row's values are read by their column's type. */
const printed: CustomTypesConfig = { getTypeParser: () => (value: unknown) => value };

/** What is cancelled before its server has begun it goes on: one of a hundred that were asked for just then. */
const CANCEL_AGAIN_MS = 100;
const TOO_MANY = busy(
  'reports_busy',
  'Other lists and reports of this tenant take all the time that it may have: ask again when they are done.',
);
const UNREAD = busy(
  'reports_busy',
  'Answers to other requests of this tenant have not been read yet: ask again when they are.',
);

/** What is known of a connection. */
interface Known {
  /** Names of the statements that are prepared on it, by their text. */
  prepared: LRUCache<string, string>;
  /** Number of the server's process. */
  pid: number;
}

/** For whom something is read. */
export interface Reader {
  tenantId: number;
  /** Of the request. When it comes nobody waits for the answer any more: it has been read, or its client has left. */
  gone: AbortSignal;
}

/** Rows as arrays of the texts that PostgreSQL prints. */
export type Ask = (query: Query) => Promise<(string | null)[][]>;

/** What is known of a request that is being answered. */
interface Answering {
  /** It may ask for more at once than its tenant's share, and waits for itself. */
  turn: Semaphore;
  /** Characters that it has read. */
  size: number;
}

/**
 * Sends the reports' queries. One whose plan serves all values is prepared on its connection: PostgreSQL took longer to
 * plan a page than to read it. Those of one tenant have half of the connections at most, so that others find one.
 */
@Injectable()
export class ReportStatements {
  private readonly known = new WeakMap<PoolClient, Known>();
  private readonly answering = new WeakMap<AbortSignal, Answering>();
  /** By tenant: characters of answers that are in this process's memory until their clients have read them. */
  private readonly unread = new Map<number, number>();
  /** Of a tenant: with more than these it is answered nothing else. */
  mostUnread = 128_000_000;
  private named = 0;

  constructor(private readonly database: ReadDatabase) {}

  /** @throws DomainError reports_busy: others of the tenant take too long, or are not read */
  rows(query: Query, reader: Reader): Promise<(string | null)[][]> {
    return this.inTurn(reader, (ask) => ask(query));
  }

  /**
   * All that the work asks is told as of one moment.
   * @param tables that it may ask: while they are locked, no generation is dropped that was live at that moment
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
        // After any other failure the connection is given up.
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
      // What is cancelled must not be the next one's.
      await cancelled;
      return rows;
    } finally {
      gone.removeEventListener('abort', cancel);
    }
  }

  /** Asked for before anything that may be cancelled: what is cancelled before it has begun goes on. */
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
      name = `report-${++this.named}`; // never one that the connection has had
      prepared.set(text, name);
    }
    return name;
  }
}

/** Whether the connection is as it was: with that reason nothing was asked, and a refusal is none of the server's. */
function isWell(error: unknown, gone: AbortSignal): boolean {
  return error === gone.reason || error instanceof GraphQLError;
}

function sizeOf(rows: (string | null)[][]): number {
  return rows.reduce((sum, row) => row.reduce((size, value) => size + (value?.length ?? 0), sum), 0);
}

function preparedOn(client: PoolClient): Known['prepared'] {
  const { parsedStatements } = client.connection as unknown as Parsing;
  return new LRUCache({
    max: MAXIMUM_PREPARED,
    dispose: (name) => {
      // Queued before the next query, which fails as well where this does.
      client.query(`deallocate "${name}"`).catch(() => undefined);
      delete parsedStatements[name];
    },
  });
}

/** The driver keeps the text of each statement that a connection ever had, by its name. */
interface Parsing {
  parsedStatements: Record<string, string>;
}
