import { Injectable } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { Codec, EVENT_COLUMNS, type EventRow } from './codec';
import type { RecordedEvent } from './events';
import type { Position } from './position';

/** Which of a tenant's events to read. */
export interface HistoryRange {
  tenantId: number;
  types: readonly string[];
  /** The last position that counts. */
  upTo: Position;
  /** Only streams behind this one. */
  after?: string;
  /** Only what was recorded until then: of each stream the events before the first that came later. */
  asOf?: Date;
}

const BATCH = 5_000;
const FIRST_STREAM = '00000000-0000-0000-0000-000000000000';
const MAX_VERSION = 2_147_483_647;

/** Reads a tenant's events stream by stream, which needs the state of one stream at a time only. */
@Injectable()
export class History {
  constructor(private readonly codec: Codec) {}

  /**
   * Complete streams, ordered by their ids, a few thousand events at a time.
   * @param client a session of the event store's database without a time limit
   * One that cannot be read throws when its data is asked for.
   */
  async *streams(client: ClientBase, range: HistoryRange): AsyncGenerator<RecordedEvent[][]> {
    let pending: RecordedEvent[] = [];
    let next: Promise<EventRow[]> | undefined = this.read(
      client,
      range,
      range.after ?? FIRST_STREAM,
      MAX_VERSION,
    );
    while (next) {
      const rows: EventRow[] = await next;
      const last = rows.at(-1);
      // The next ones are on their way while these are worked on.
      next = rows.length < BATCH ? undefined : this.read(client, range, last!.stream_id, last!.version);
      next?.catch(() => undefined);
      const streams: RecordedEvent[][] = [];
      for (const row of rows) {
        if (pending.length > 0 && pending[0].streamId !== row.stream_id) {
          streams.push(pending);
          pending = [];
        }
        pending.push(this.codec.decodeLeniently(row));
      }
      if (!next && pending.length > 0) streams.push(pending);
      yield streams.map((events) => until(range.asOf, events)).filter(({ length }) => length > 0);
    }
  }

  /** How many events of those types the tenants have, as a measure of the work. */
  async count(
    client: ClientBase,
    tenants: readonly { id: number }[],
    types: ReadonlySet<string>,
  ): Promise<number> {
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::float8 as count from event_store.events where tenant_id = any($1::int[]) and type = any($2)',
      [tenants.map(({ id }) => id), [...types]],
    );
    return rows[0].count;
  }

  private async read(
    client: ClientBase,
    { tenantId, types, upTo }: HistoryRange,
    stream: string,
    version: number,
  ): Promise<EventRow[]> {
    const { rows } = await client.query<EventRow>({
      name: 'event_store.history',
      text: HISTORY_QUERY,
      values: [
        tenantId,
        stream,
        version,
        upTo.epoch,
        upTo.transactionId.toString(),
        upTo.position.toString(),
        types,
        BATCH,
      ],
    });
    return rows;
  }
}

const HISTORY_QUERY = `
  select ${EVENT_COLUMNS} from event_store.events e
  where e.tenant_id = $1 and (e.stream_id, e.version) > ($2, $3)
    and (e.epoch, e.transaction_id, e.position) <= ($4, $5::xid8, $6) and e.type = any($7)
  order by e.stream_id, e.version limit $8`;

function until(asOf: Date | undefined, events: RecordedEvent[]): RecordedEvent[] {
  if (!asOf) return events;
  const later = events.findIndex(({ recordedAt }) => recordedAt > asOf);
  return later < 0 ? events : events.slice(0, later);
}
