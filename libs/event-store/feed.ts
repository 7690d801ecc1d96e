import { Injectable } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import { endStandingCopies } from '#platform/standing-copies';
import { Codec, EVENT_COLUMNS, type EventRow, type StoredRow } from './codec';
import type { RecordedEvent } from './events';
import { type Position, parsePosition } from './position';

/** What every event of the feed tells of itself. */
export interface FeedEntry {
  tenantId: number;
  streamId: string;
  version: number;
  partition: number;
  at: Position;
}

/** What an event is known by. */
export type EventKey = Pick<FeedEntry, 'partition' | 'at' | 'streamId' | 'version'>;

/** An event as it is stored: what is personal in it is encrypted. */
export interface StoredEvent extends FeedEntry {
  row: StoredRow;
}

/** Where a reader stands in one partition. */
export interface Cursor {
  partition: number;
  after: Position;
}

/**
 * The next events of each partition, in commit order. Only events below every open transaction are visible,
 * so that a commit that comes late is never skipped.
 */
export const FEED_QUERY = feedQuery('*');

/** The same, but what is not wanted of an event is neither unpacked nor sent: of the tenants of the last parameter. */
export const BARE_FEED_QUERY =
  feedQuery(`tenant_id, stream_id, version, event_id, type, schema_version, recorded_at,
      partition, epoch, transaction_id, position, metadata,
      case when tenant_id = any($6::integer[]) then '{}' else data end as data`);

function feedQuery(columns: string): string {
  return `
  select ${EVENT_COLUMNS}
  from unnest($1::smallint[], $2::integer[], $3::text[], $4::bigint[]) as c(partition, epoch, transaction_id, position)
  cross join lateral (
    select ${columns} from event_store.events f
    where f.partition = c.partition
      and (f.epoch, f.transaction_id, f.position) > (c.epoch, c.transaction_id::xid8, c.position)
      and (f.epoch, f.transaction_id)
        < ((select max(epoch) from event_store.epochs), pg_snapshot_xmin(pg_current_snapshot()))
    order by f.epoch, f.transaction_id, f.position
    limit (select $5::bigint)
  ) e
  order by e.partition, e.epoch, e.transaction_id, e.position`;
}

/** The time of the next event of each cursor, seen or not yet to be seen. */
export const OLDEST_QUERY = `
  select e.recorded_at as oldest
  from unnest($1::smallint[], $2::integer[], $3::text[], $4::bigint[]) with ordinality
    as c(partition, epoch, transaction_id, position, number)
  left join lateral (
    select recorded_at from event_store.events f
    where f.partition = c.partition
      and (f.epoch, f.transaction_id, f.position) > (c.epoch, c.transaction_id::xid8, c.position)
    order by f.epoch, f.transaction_id, f.position
    limit (select $5::bigint)
  ) e on true
  order by c.number`;

/** Whose transaction is the oldest that is open and has written: of any database of the server, also a prepared one. */
const HOLDER_QUERY = `
  select who from (
    select age(backend_xid), format('pid %s, user %s, database %s, application %s', pid, usename, datname, application_name) as who
    from pg_stat_activity where backend_xid is not null
    union all
    select age(transaction), format('prepared transaction %s, user %s, database %s', gid, owner, database)
    from pg_prepared_xacts
  ) writing order by age desc limit 1`;

/** By position and by stream: a server that was restored may give positions anew. */
export const HAS_QUERY = `
  select e.known is not null as known
  from unnest($1::smallint[], $2::integer[], $3::text[], $4::bigint[], $5::text[], $6::bigint[]) with ordinality
    as c(partition, epoch, transaction_id, position, stream_id, version, number)
  left join lateral (
    select true as known from event_store.events f
    where f.partition = c.partition and f.epoch = c.epoch and f.transaction_id = c.transaction_id::xid8
      and f.position = c.position and f.stream_id::text = c.stream_id and f.version = c.version
    limit 1
  ) e on true
  order by c.number`;

/** Reads the store in commit order, a partition at a time. */
@Injectable()
export class Feed {
  constructor(
    private readonly database: WriteDatabase,
    private readonly codec: Codec,
  ) {}

  /**
   * At most `limit` events of each partition after its cursor. One that cannot be read throws when its data is asked for.
   * @param bare tenants of whose events the data is not wanted, and not there
   */
  async read(cursors: Cursor[], limit: number, bare: readonly number[] = []): Promise<RecordedEvent[]> {
    const rows = await this.rows(cursors, limit, bare);
    return rows.map((row) => this.codec.decodeLeniently(row));
  }

  /** The same events as they are stored. */
  async readStored(cursors: Cursor[], limit: number): Promise<StoredEvent[]> {
    const rows = await this.rows(cursors, limit);
    return rows.map((row) => ({
      tenantId: row.tenant_id,
      streamId: row.stream_id,
      version: row.version,
      partition: row.partition,
      at: parsePosition(row.at),
      row,
    }));
  }

  /** Makes stored events readable that came by another way, with the keys of now. */
  async decode(stored: readonly StoredEvent[]): Promise<RecordedEvent[]> {
    const sealed = stored.filter(({ row }) => row.data.sealed !== undefined);
    const wrapped = await this.keysOf(sealed);
    return stored.map(({ row }) =>
      this.codec.decodeLeniently({
        ...row,
        wrapped: wrapped.get(`${row.tenant_id}/${row.stream_id}`) ?? null,
      }),
    );
  }

  /** Which of these are events of the store, in their order. */
  async has(entries: readonly EventKey[]): Promise<boolean[]> {
    const { rows } = await this.database.pool.query<{ known: boolean }>({
      name: 'event_store.has',
      text: HAS_QUERY,
      values: hasParameters(entries),
    });
    return rows.map(({ known }) => known);
  }

  /**
   * When the oldest event after each cursor was recorded, in the order of the cursors, counting those that an open
   * transaction holds back; undefined where there is none.
   */
  async oldest(cursors: Cursor[]): Promise<(Date | undefined)[]> {
    const { rows } = await this.database.pool.query<{ oldest: Date | null }>({
      name: 'event_store.oldest',
      text: OLDEST_QUERY,
      values: feedParameters(cursors, 1),
    });
    return rows.map(({ oldest }) => oldest ?? undefined);
  }

  /** Who holds the feed back, in words for an operator. */
  async holder(): Promise<string> {
    const { rows } = await this.database.pool.query<{ who: string }>(HOLDER_QUERY);
    return rows[0]?.who ?? 'it has just ended';
  }

  /** Ends what holds the feed back without an end of its own. @returns how many sessions that were */
  endStandingCopies(): Promise<number> {
    return endStandingCopies(this.database.pool);
  }

  /** The numbers of all partitions. */
  async partitions(): Promise<number[]> {
    const { rows } = await this.database.pool.query<{ partition: number }>(
      'select generate_series(0, partitions - 1) as partition from platform.installation',
    );
    return rows.map(({ partition }) => partition);
  }

  /** The end of each partition that has events, as far as a reader could have come: nothing is missing before it. */
  async heads(): Promise<Map<number, Position>> {
    const { rows } = await this.database.pool.query<{ partition: number; at: string }>(
      `select p.partition, e.epoch || '.' || e.transaction_id || '.' || e.position as at
       from generate_series(0, (select partitions - 1 from platform.installation)) as p(partition)
       cross join lateral (
         select f.epoch, f.transaction_id, f.position from event_store.events f
         where f.partition = p.partition
           and (f.epoch, f.transaction_id)
             < ((select max(epoch) from event_store.epochs), pg_snapshot_xmin(pg_current_snapshot()))
         order by f.epoch desc, f.transaction_id desc, f.position desc limit 1
       ) e`,
    );
    return new Map(rows.map(({ partition, at }) => [partition, parsePosition(at)]));
  }

  private async rows(cursors: Cursor[], limit: number, bare: readonly number[] = []): Promise<EventRow[]> {
    const values = feedParameters(cursors, limit);
    const { rows } = await this.database.pool.query<EventRow>(
      bare.length === 0
        ? { name: 'event_store.feed', text: FEED_QUERY, values }
        : { name: 'event_store.bare_feed', text: BARE_FEED_QUERY, values: [...values, bare] },
    );
    return rows;
  }

  /** Wrapped keys by tenant and stream. */
  private async keysOf(events: readonly FeedEntry[]): Promise<Map<string, Buffer>> {
    if (events.length === 0) return new Map();
    const { rows } = await this.database.pool.query<{ tenant_id: number; subject: string; wrapped: Buffer }>({
      name: 'event_store.subject_keys',
      text: `select tenant_id, subject, wrapped from event_store.subject_keys
        where (tenant_id, subject) in (select * from unnest($1::int[], $2::uuid[]))`,
      values: [events.map(({ tenantId }) => tenantId), events.map(({ streamId }) => streamId)],
    });
    return new Map(rows.map(({ tenant_id, subject, wrapped }) => [`${tenant_id}/${subject}`, wrapped]));
  }
}

/**
 * How far a reader is behind, in seconds, by when the oldest event that it has not seen was recorded; 0 when it has seen
 * all. An event of this very millisecond is unseen too.
 */
export function lagOf(oldest: Date | undefined, now: Date): number {
  return oldest ? Math.max(0.001, (now.getTime() - oldest.getTime()) / 1000) : 0;
}

export function feedParameters(cursors: Cursor[], limit: number): unknown[] {
  return [
    cursors.map(({ partition }) => partition),
    cursors.map(({ after }) => after.epoch),
    cursors.map(({ after }) => after.transactionId.toString()),
    cursors.map(({ after }) => after.position),
    limit,
  ];
}

export function hasParameters(entries: readonly EventKey[]): unknown[] {
  return [
    entries.map(({ partition }) => partition),
    entries.map(({ at }) => at.epoch),
    entries.map(({ at }) => at.transactionId.toString()),
    entries.map(({ at }) => at.position),
    entries.map(({ streamId }) => streamId),
    entries.map(({ version }) => version),
  ];
}
