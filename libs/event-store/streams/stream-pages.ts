import { Injectable } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { NIL } from 'uuid';
import type { ReservedKey, StreamLink } from '#event-store/append/append-job';
import { tenantNotFound } from '#platform/auth/tenants';
import { type Audited, StreamAudit } from './stream-audit';
import { type Claims, streamOf, unfounded } from './stream-claims';
import { type Refolded, StreamRefold } from './stream-refold';

/** A tenant whose streams are audited. */
export interface AuditedTenant {
  id: number;
  /** Undefined for a tenant that is not registered. */
  alias?: string;
}

/** Links and reservations that do not result from any event, and the streams that they belong to. */
export interface Unfounded extends Claims {
  streams: Refolded[];
}

const STREAMS = 200;
const CLAIMS = 1_000;

/**
 * Settings for reading in index order. Without statistics, as after a bulk load, the planner would sort all remaining
 * rows for each page.
 */
const PLAN_IN_INDEX_ORDER = ['seqscan', 'bitmapscan', 'sort', 'hashagg', 'hashjoin', 'mergejoin']
  .map((way) => `set enable_${way} = off`)
  .join('; ');

const NEXT_TENANT = `
  select n.id, t.alias from (
    select min(id) as id from (
      select min(tenant_id) as id from event_store.streams where tenant_id > $1
      union all select min(tenant_id) from event_store.events where tenant_id > $1
      union all select min(tenant_id) from event_store.links where tenant_id > $1
      union all select min(tenant_id) from event_store.reservations where tenant_id > $1
    ) each_table
  ) n left join platform.tenants t on t.id = n.id
  where n.id is not null`;

const LAST_STREAM = `
  select max(stream_id::text) as last from (
    (select stream_id from event_store.streams where tenant_id = $1 order by stream_id desc limit 1)
    union all
    (select stream_id from event_store.events where tenant_id = $1 order by stream_id desc limit 1)
  ) both_tables`;

const STREAM_PAGE = `
  (select stream_id from event_store.streams
   where tenant_id = $1 and stream_id > $2 and stream_id <= $3 order by stream_id limit ${STREAMS})
  union
  (select distinct stream_id from event_store.events
   where tenant_id = $1 and stream_id > $2 and stream_id <= $3 order by stream_id limit ${STREAMS})
  order by stream_id limit ${STREAMS}`;

const LAST_LINK = `
  select target, kind, source from event_store.links
  where tenant_id = $1 order by target desc, kind desc, source desc limit 1`;

const LINK_PAGE = `
  select target, kind, source from event_store.links
  where tenant_id = $1 and (target, kind, source) > ($2, $3, $4) and (target, kind, source) <= ($5, $6, $7)
  order by target, kind, source limit ${CLAIMS}`;

const LAST_KEY = `
  select kind, key, stream_id as stream from event_store.reservations
  where tenant_id = $1 order by kind desc, key desc limit 1`;

const KEY_PAGE = `
  select kind, key, stream_id as stream from event_store.reservations
  where tenant_id = $1 and (kind, key) > ($2, $3) and (kind, key) <= ($4, $5) order by kind, key limit ${CLAIMS}`;

/**
 * Reads all streams of a store while it is written to, up to the last stream that exists at the start. Each page is one
 * read-only snapshot, which has no transaction id and therefore does not hold back readers of the feed. Between pages
 * the connection is free.
 */
@Injectable()
export class StreamPages {
  constructor(
    private readonly refolds: StreamRefold,
    private readonly audits: StreamAudit,
  ) {}

  /**
   * The tenants that the store has any data of, or the one with the given alias.
   * @throws DomainError tenant_not_found
   */
  async *tenants(client: ClientBase, alias?: string): AsyncGenerator<AuditedTenant> {
    await client.query(PLAN_IN_INDEX_ORDER);
    if (alias !== undefined) {
      const { rows } = await client.query<AuditedTenant>(
        'select id, alias from platform.tenants where alias = $1',
        [alias],
      );
      if (rows.length === 0) throw tenantNotFound(alias);
      yield rows[0];
      return;
    }
    for (let after = 0; ; ) {
      const { rows } = await client.query<AuditedTenant>(NEXT_TENANT, [after]);
      if (rows.length === 0) return;
      after = rows[0].id;
      yield rows[0];
    }
  }

  /** Yields a tenant's streams with their differences, page by page. */
  async *streams(client: ClientBase, tenantId: number): AsyncGenerator<Audited[]> {
    const { rows } = await client.query<{ last: string | null }>(LAST_STREAM, [tenantId]);
    const [{ last }] = rows;
    for (let after: string = NIL; last !== null && after < last; ) {
      const page = await snapshot(client, async () => {
        const found = await client.query<{ stream_id: string }>(STREAM_PAGE, [tenantId, after, last]);
        const ids = found.rows.map(({ stream_id }) => stream_id);
        return this.audits.audit(client, tenantId, await this.refolds.refold(client, tenantId, ids));
      });
      if (page.length === 0) return;
      yield page;
      after = page[page.length - 1].stream.streamId;
    }
  }

  /** Yields a tenant's links and reservations that do not result from any event. Pages without any are left out. */
  async *unfounded(client: ClientBase, tenantId: number): AsyncGenerator<Unfounded> {
    yield* this.claims<StreamLink>(client, tenantId, {
      last: LAST_LINK,
      page: LINK_PAGE,
      first: [NIL, '', NIL],
      cursor: ({ target, kind, source }) => [target, kind, source],
      claims: (links) => ({ links, keys: [] }),
    });
    yield* this.claims<ReservedKey>(client, tenantId, {
      last: LAST_KEY,
      page: KEY_PAGE,
      first: ['', ''],
      cursor: ({ kind, key }) => [kind, key],
      claims: (keys) => ({ links: [], keys }),
    });
  }

  private async *claims<Row extends StreamLink | ReservedKey>(
    client: ClientBase,
    tenantId: number,
    table: {
      last: string;
      page: string;
      first: string[];
      cursor(row: Row): string[];
      claims(rows: Row[]): Claims;
    },
  ): AsyncGenerator<Unfounded> {
    const end = await client.query<Row>(table.last, [tenantId]);
    if (end.rows.length === 0) return;
    const last = table.cursor(end.rows[0]);
    for (let after = table.first; ; ) {
      const { rows, streams } = await snapshot(client, async () => {
        const page = await client.query<Row>(table.page, [tenantId, ...after, ...last]);
        const ids = [...new Set(page.rows.map(streamOf))];
        return { rows: page.rows, streams: await this.refolds.refold(client, tenantId, ids) };
      });
      if (rows.length === 0) return;
      const { links, keys } = unfounded(table.claims(rows), streams);
      const named = new Set([...links, ...keys].map(streamOf));
      if (named.size > 0)
        yield { links, keys, streams: streams.filter(({ streamId }) => named.has(streamId)) };
      after = table.cursor(rows[rows.length - 1]);
    }
  }
}

/** Runs a read in a snapshot. If it fails, its transaction ends with the session. */
async function snapshot<Result>(client: ClientBase, read: () => Promise<Result>): Promise<Result> {
  await client.query('begin isolation level repeatable read read only');
  const result = await read();
  await client.query('commit');
  return result;
}
