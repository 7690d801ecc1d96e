import { Injectable } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import { endStandingCopies } from '#platform/database/standing-copies';
import type { TenantRef } from '#platform/request-context';
import { Codec, type EventRow, type StoredRow } from './codec';
import type { RecordedEvent } from './events';
import {
  BARE_FEED_QUERY,
  FEED_QUERY,
  HAS_QUERY,
  HOLDER_QUERY,
  OLDEST_QUERY,
  PAGE_WEIGHT,
  STRANGE_QUERY,
} from './feed/feed-queries';
import { comparePositions, type Position, parsePosition, START } from './position';

/** The fields that identify and locate an event of the feed. */
export interface FeedEntry {
  tenantId: number;
  streamId: string;
  version: number;
  partition: number;
  at: Position;
}

/** The fields that identify an event. */
export type EventKey = Pick<FeedEntry, 'partition' | 'at' | 'streamId' | 'version'>;

/** An event in its stored form: personal fields are encrypted. */
export interface StoredEvent extends FeedEntry {
  row: StoredRow;
}

/** A reader's position in one partition. */
export interface Cursor {
  partition: number;
  after: Position;
}

export interface FeedPage<Event> {
  events: Event[];
  /** Whether there may be more events already. */
  more: boolean;
}

interface FeedRow extends EventRow {
  /** True on a partition's event that reached the weight limit and ended the page: more events may follow. */
  cut: true | null;
}

const FEED = { name: 'event_store.feed', text: FEED_QUERY };
const BARE_FEED = { name: 'event_store.bare_feed', text: BARE_FEED_QUERY };

/** Reads the events of the store in commit order, partition by partition. */
@Injectable()
export class Feed {
  constructor(
    private readonly database: WriteDatabase,
    private readonly codec: Codec,
  ) {}

  /**
   * Reads at most `limit` events of each partition after its cursor, fewer if they are long. An unreadable event throws
   * when its data is accessed.
   * @param bare tenants whose events are returned without data
   */
  async page(
    cursors: Cursor[],
    limit: number,
    bare: readonly number[] = [],
  ): Promise<FeedPage<RecordedEvent>> {
    const values = feedParameters(cursors, limit, weightOfEach(cursors));
    const rows = await (bare.length === 0
      ? this.rows(FEED, values)
      : this.rows(BARE_FEED, [...values, bare]));
    return { events: rows.map((row) => this.codec.decodeLeniently(row)), more: isMore(rows, limit) };
  }

  /** Like `page`, with the events in their stored form. */
  async storedPage(cursors: Cursor[], limit: number): Promise<FeedPage<StoredEvent>> {
    const rows = await this.rows(FEED, feedParameters(cursors, limit, weightOfEach(cursors)));
    return { events: rows.map(storedEvent), more: isMore(rows, limit) };
  }

  /** Decodes stored events that came from elsewhere, with the keys as they are now. */
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

  /** Whether each of these events is in the store, in the order of the entries. */
  async has(entries: readonly EventKey[]): Promise<boolean[]> {
    const { rows } = await this.database.pool.query<{ known: boolean }>({
      name: 'event_store.has',
      text: HAS_QUERY,
      values: hasParameters(entries),
    });
    return rows.map(({ known }) => known);
  }

  /**
   * The first cursor that is neither at the start nor at an event: the store was restored to an earlier state, or is
   * another one. What it records next may come before that cursor.
   */
  async strange(cursors: readonly Cursor[]): Promise<Cursor | undefined> {
    const begun = cursors.filter(({ after }) => comparePositions(after, START) > 0);
    const { rows } = await this.database.pool.query<{ number: number }>({
      name: 'event_store.strange',
      text: STRANGE_QUERY,
      values: cursorParameters(begun, 1),
    });
    return rows[0] && begun[rows[0].number - 1];
  }

  /**
   * The time at which the oldest event after each cursor was recorded, in the order of the cursors; undefined if there
   * is none. Includes events that an open transaction still holds back.
   */
  async oldest(cursors: Cursor[]): Promise<(Date | undefined)[]> {
    const { rows } = await this.database.pool.query<{ oldest: Date | null }>({
      name: 'event_store.oldest',
      text: OLDEST_QUERY,
      values: cursorParameters(cursors, 1),
    });
    return rows.map(({ oldest }) => oldest ?? undefined);
  }

  /** A description, for an operator, of the transaction that holds the feed back. */
  async holder(): Promise<string> {
    const { rows } = await this.database.pool.query<{ who: string }>(HOLDER_QUERY);
    return rows[0]?.who ?? 'it has just ended';
  }

  /** Ends COPY sessions that stand still and would hold the feed back forever. @returns the number of sessions ended */
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

  /** The last readable position of each partition that has events: no event can still appear before it. */
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

  /**
   * The position of a tenant's last event after another position, whether or not the feed delivers that event yet;
   * undefined if there is none. The query scans the tenant's partition backwards.
   */
  async latestOf(
    { id, partition }: Pick<TenantRef, 'id' | 'partition'>,
    after: Position,
  ): Promise<Position | undefined> {
    const { rows } = await this.database.pool.query<{ at: string }>({
      name: 'event_store.latest_event',
      text: `
        select epoch || '.' || transaction_id || '.' || position as at from event_store.events
        where partition = $2 and tenant_id = $1 and (epoch, transaction_id, position) > ($3, $4::xid8, $5)
        order by epoch desc, transaction_id desc, position desc limit 1`,
      values: [id, partition, after.epoch, after.transactionId.toString(), after.position.toString()],
    });
    return rows[0] && parsePosition(rows[0].at);
  }

  private async rows(statement: { name: string; text: string }, values: unknown[]): Promise<FeedRow[]> {
    return (await this.database.pool.query<FeedRow>({ ...statement, values })).rows;
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

function weightOfEach(cursors: readonly Cursor[]): number {
  return Math.ceil(PAGE_WEIGHT / Math.max(1, cursors.length));
}

function isMore(rows: readonly FeedRow[], limit: number): boolean {
  return rows.length >= limit || rows.some(({ cut }) => cut);
}

function storedEvent(row: EventRow): StoredEvent {
  const { tenant_id: tenantId, stream_id: streamId, version, partition } = row;
  return { tenantId, streamId, version, partition, at: parsePosition(row.at), row };
}

/**
 * A reader's lag in seconds, from the time at which its oldest unread event was recorded; 0 if it has read everything.
 * It is at least a millisecond for an unread event, even if that was recorded just now.
 */
export function lagOf(oldest: Date | undefined, now: Date): number {
  return oldest ? Math.max(0.001, (now.getTime() - oldest.getTime()) / 1000) : 0;
}

/** Parameters of the query for the oldest event. */
export function cursorParameters(cursors: readonly Cursor[], limit: number): unknown[] {
  return [
    cursors.map(({ partition }) => partition),
    cursors.map(({ after }) => after.epoch),
    cursors.map(({ after }) => after.transactionId.toString()),
    cursors.map(({ after }) => after.position),
    limit,
  ];
}

/** @param weight limit in bytes for each partition's events; the last event may exceed it */
export function feedParameters(cursors: Cursor[], limit: number, weight: number): unknown[] {
  return [...cursorParameters(cursors, limit), weight];
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
