import { Injectable } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { MAX, NIL } from 'uuid';
import { Codec, type EventRow } from './codec';
import { EVENTS_AT_ONCE, type RecordedEvent } from './events';
import type { Position } from './position';

/** Selects a tenant's events. */
export interface HistoryRange {
  tenantId: number;
  types: readonly string[];
  /** The last position to read. */
  upTo: Position;
  /** Only streams after this one, in the order of their ids. */
  after?: string;
  /** Only events recorded up to this time: of each stream, the events before the first later one. */
  asOf?: Date;
}

const STREAMS_AT_ONCE = 1_000;
/** Number of streams of the first read, when their size is not known yet. */
const FIRST_STREAMS = 100;
/**
 * Limit in characters for the text of one read; the last stream may exceed it. Decoded, it takes several times as much
 * memory.
 */
const TEXT_AT_ONCE = 4 * 1024 * 1024;

/**
 * A stream's events as one JSON text without the outer brackets. That is a fifth less work for Node than columns for
 * each event, and a quarter less for PostgreSQL than its own JSON functions.
 */
const AS_TEXT = `e.stream_id, min(e.partition) as partition,
        case when bool_or(e.data ? 'sealed') then (
          select k.wrapped from event_store.subject_keys k where k.tenant_id = $1 and k.subject = e.stream_id
        ) end as wrapped,
        string_agg(concat('[', e.version, ',"', e.event_id, '",', to_json(e.type), ',', e.schema_version, ',', e.data,
          ',', e.metadata, ',', to_json(e.recorded_at), ',"', e.epoch, '.', e.transaction_id, '.', e.position, '"]'),
          ',' order by e.version) as events`;
const IN_RANGE = `e.tenant_id = $1 and (e.epoch, e.transaction_id, e.position) <= ($2, $3::xid8, $4) and e.type = any($5)`;

/** Whole streams between two others. The answer has the order of the key, so nothing is sorted. */
const HISTORY_QUERY = `
  select * from (
    select h.*, sum(length(h.events)) over (order by h.stream_id rows unbounded preceding)::float8 as text from (
      select ${AS_TEXT}
      from event_store.events e
      where ${IN_RANGE} and e.stream_id > $6 and e.stream_id < $7
      group by e.stream_id order by e.stream_id limit $8
    ) h
  ) h
  where text - length(events) < ${TEXT_AT_ONCE} order by stream_id`;

/** The events of one stream that follow a version. */
const PART_QUERY = `
  select ${AS_TEXT}
  from (
    select * from event_store.events e where ${IN_RANGE} and e.stream_id = $6 and e.version > $7
    order by e.version limit ${EVENTS_AT_ONCE}
  ) e group by e.stream_id`;

/** The streams that have more events than are read at once. */
const LONG_STREAMS_QUERY = `
  select stream_id from event_store.events
  where tenant_id = $1 and stream_id > $2 and version = ${EVENTS_AT_ONCE + 1} order by stream_id`;

/** Settings that make the query follow the key, whatever statistics the server has for the table. */
const ALONG_THE_KEY = `
  set enable_hashagg = off; set enable_sort = off; set enable_seqscan = off; set enable_bitmapscan = off`;

interface PartRow {
  stream_id: string;
  partition: number;
  wrapped: Buffer | null;
  events: string;
}

interface StreamRow extends PartRow {
  /** Length of the texts of all streams up to and including this one. */
  text: number;
}

type EventTuple = [
  version: number,
  eventId: string,
  type: string,
  schemaVersion: number,
  data: EventRow['data'],
  metadata: EventRow['metadata'],
  recordedAt: string,
  at: string,
];

/** Reads a tenant's events stream by stream, so that a reader needs the state of only one stream at a time. */
@Injectable()
export class History {
  constructor(private readonly codec: Codec) {}

  /**
   * Yields streams, ordered by id, as many at a time as their size allows. A stream of more than EVENTS_AT_ONCE events is
   * several arrays, one after the other. An unreadable event throws when its data is accessed.
   * @param client a session of the event store's database without a time limit, reserved for this
   */
  async *streams(client: ClientBase, range: HistoryRange): AsyncGenerator<RecordedEvent[][]> {
    await client.query(ALONG_THE_KEY);
    const first = range.after ?? NIL;
    const { rows } = await client.query<{ stream_id: string }>(LONG_STREAMS_QUERY, [range.tenantId, first]);
    const pace = { streams: FIRST_STREAMS };
    let after = first;
    for (const { stream_id: long } of rows) {
      yield* this.between(client, range, { after, before: long }, pace);
      yield* this.inParts(client, range, long);
      after = long;
    }
    yield* this.between(client, range, { after, before: MAX }, pace);
  }

  private async *between(
    client: ClientBase,
    range: HistoryRange,
    { after, before }: { after: string; before: string },
    pace: { streams: number },
  ): AsyncGenerator<RecordedEvent[][]> {
    const read = async (last: string): Promise<StreamRow[]> => {
      const values = [...valuesOf(range), last, before, pace.streams];
      return (await client.query<StreamRow>({ name: 'event_store.history', text: HISTORY_QUERY, values }))
        .rows;
    };
    let next: Promise<StreamRow[]> | undefined = read(after);
    while (next) {
      const rows: StreamRow[] = await next;
      // The next streams are read while the caller handles these.
      next = undefined;
      const last = rows.at(-1);
      if (last && (rows.length === pace.streams || last.text >= TEXT_AT_ONCE)) {
        pace.streams = nextLimit(rows.length, last.text);
        next = read(last.stream_id);
      }
      next?.catch(() => undefined);
      yield rows
        .map((row) => until(range.asOf, this.decode(range.tenantId, row)))
        .filter(({ length }) => length > 0);
    }
  }

  private async *inParts(
    client: ClientBase,
    range: HistoryRange,
    streamId: string,
  ): AsyncGenerator<RecordedEvent[][]> {
    for (let version = 0; ; ) {
      const values = [...valuesOf(range), streamId, version];
      const { rows } = await client.query<PartRow>({ name: 'event_store.part', text: PART_QUERY, values });
      if (rows.length === 0) return;
      const events = this.decode(range.tenantId, rows[0]);
      const wanted = until(range.asOf, events);
      if (wanted.length > 0) yield [wanted];
      if (wanted.length < EVENTS_AT_ONCE) return;
      version = events[events.length - 1].version;
    }
  }

  private decode(tenantId: number, { stream_id, partition, wrapped, events }: PartRow): RecordedEvent[] {
    const tuples: EventTuple[] = JSON.parse(`[${events}]`);
    return tuples.map(([version, eventId, type, schemaVersion, data, metadata, recordedAt, at]) =>
      this.codec.decodeLeniently({
        tenant_id: tenantId,
        stream_id,
        version,
        event_id: eventId,
        type,
        schema_version: schemaVersion,
        data,
        metadata,
        recorded_at: new Date(recordedAt),
        partition,
        at,
        wrapped,
      }),
    );
  }

  /**
   * The number of the tenants' events as a measure of the work. An event counts once for each occurrence of its type in
   * `types`.
   */
  async count(
    client: ClientBase,
    tenants: readonly { id: number }[],
    types: readonly string[],
  ): Promise<number> {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::float8 as count from event_store.events join unnest($2::text[]) t(type) using (type)
       where tenant_id = any($1::int[])`,
      [tenants.map(({ id }) => id), types],
    );
    return rows[0].count;
  }
}

/** The values that IN_RANGE is bound to. */
function valuesOf({ tenantId, upTo, types }: HistoryRange): unknown[] {
  return [tenantId, upTo.epoch, upTo.transactionId.toString(), upTo.position.toString(), types];
}

/** The number of streams that fit if they are as large as the last ones. */
function nextLimit(streams: number, text: number): number {
  return Math.max(1, Math.min(STREAMS_AT_ONCE, Math.floor((streams * TEXT_AT_ONCE) / text)));
}

function until(asOf: Date | undefined, events: RecordedEvent[]): RecordedEvent[] {
  if (!asOf) return events;
  const later = events.findIndex(({ recordedAt }) => recordedAt > asOf);
  return later < 0 ? events : events.slice(0, later);
}
