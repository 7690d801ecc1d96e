import type { ClientBase, DatabaseError } from 'pg';
import type { RecordedEvent } from '#event-store/events';
import type { History } from '#event-store/history';
import type { Position } from '#event-store/position';
import { copyText } from '#platform/database/copy-rows';
import { CopyText } from '#platform/database/copy-text';
import { EventNotApplied, isEventFault } from '../event-not-applied';
import type { Projection, ReadTable, StreamRows } from '../projection';

/** Number of rows that are copied in one transaction, which takes some hundredths of a second. */
const CHUNK_ROWS = 2_000;
/** Limit in bytes for a chunk of large rows. */
const CHUNK_BYTES = 8 * 1024 * 1024;

/** Returns the table that rows are copied into. */
export type Target = (table: ReadTable) => string;

/** A projection that receives rows. */
export interface Receiver {
  projection: Projection;
  /** Generation to put first in each row, if the target table does not supply it. */
  generation?: number;
}

/**
 * Rows of one table in the format of COPY. Kept as separate values, they survived garbage collections, which copied
 * them.
 */
class TableRows {
  readonly text = new CopyText();
  /** The stream that each row results from. */
  readonly sources: Source[] = [];
}

interface Source {
  tenantId: number;
  streamId: string;
}

/** The rows of some streams in one projection. */
export interface Share extends Receiver {
  events: number;
  /** Rows of each of the projection's tables. */
  tables: readonly TableRows[];
}

export interface Filled {
  /** The last stream whose rows are included. */
  tenantId: number;
  streamId: string;
  /** Rows of each projection. */
  shares: Share[];
}

/**
 * Yields the rows of the tenants' streams for each projection, in chunks that fit a transaction. Each stream is read
 * once.
 */
export async function* rowsOf(
  history: History,
  client: ClientBase,
  receivers: readonly Receiver[],
  tenants: readonly { id: number; upTo: Position; after?: string }[],
  asOf?: Date,
): AsyncGenerator<Filled> {
  const types = [...new Set(receivers.flatMap(({ projection }) => [...projection.eventTypes]))];
  let chunk: Filled | undefined;
  let stream: OpenStream | undefined;
  for (const { id: tenantId, upTo, after } of tenants) {
    for await (const streams of history.streams(client, { tenantId, types, upTo, after, asOf })) {
      for (const events of streams) {
        const [{ streamId }] = events;
        if (stream?.source.streamId !== streamId || stream.source.tenantId !== tenantId) {
          chunk = withRows(stream, chunk, receivers);
          stream = new OpenStream({ tenantId, streamId }, receivers);
        }
        stream.add(events);
      }
      if (!chunk || !isFull(chunk)) continue;
      yield chunk;
      chunk = undefined;
    }
  }
  chunk = withRows(stream, chunk, receivers);
  if (chunk) yield chunk;
}

/** A stream whose further events may still follow. */
class OpenStream {
  private readonly shares: { rows?: StreamRows; events: number; last?: RecordedEvent }[];

  constructor(
    readonly source: Source,
    private readonly receivers: readonly Receiver[],
  ) {
    this.shares = receivers.map(() => ({ events: 0 }));
  }

  add(events: readonly RecordedEvent[]): void {
    for (const [index, { projection }] of this.receivers.entries()) {
      const share = this.shares[index];
      for (const recorded of events) {
        if (!projection.eventTypes.has(recorded.event.type)) continue;
        share.last = recorded;
        share.events += 1;
        applied(projection, recorded, () => {
          share.rows ??= projection.ofStream();
          share.rows.add(recorded);
        });
      }
    }
  }

  /** Adds the stream's rows to the chunk. */
  addTo(chunk: Filled): void {
    for (const [index, { rows, events, last }] of this.shares.entries()) {
      if (!rows) continue;
      const { projection, generation, tables } = chunk.shares[index];
      for (const [table, own] of applied(projection, last!, () => rows.rows()).entries()) {
        const { text, sources } = tables[table];
        for (const row of own) {
          if (generation !== undefined) text.cell(String(generation));
          text.row(row);
          sources.push(this.source);
        }
      }
      chunk.shares[index].events += events;
    }
    Object.assign(chunk, this.source);
  }
}

function withRows(
  stream: OpenStream | undefined,
  chunk: Filled | undefined,
  receivers: readonly Receiver[],
): Filled | undefined {
  if (!stream) return chunk;
  const filled = chunk ?? { tenantId: 0, streamId: '', shares: receivers.map(emptyShare) };
  stream.addTo(filled);
  return filled;
}

/** @throws EventNotApplied at the event, when the projection fails */
function applied<Result>({ name }: Projection, recorded: RecordedEvent, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new EventNotApplied(name, recorded, error as Error);
  }
}

function emptyShare({ projection, generation }: Receiver): Share {
  return { projection, generation, events: 0, tables: projection.tables.map(() => new TableRows()) };
}

function isFull({ shares }: Filled): boolean {
  let [rows, bytes] = [0, 0];
  for (const { tables } of shares) {
    for (const { sources, text } of tables) {
      rows += sources.length;
      bytes += text.length;
    }
  }
  return rows >= CHUNK_ROWS || bytes >= CHUNK_BYTES;
}

/** Copies rows into tables, within the client's transaction if it has one. */
export async function copyInto(
  client: ClientBase,
  { projection, generation, tables }: Share,
  target: Target,
): Promise<void> {
  const own = generation === undefined ? [] : ['generation'];
  for (const [index, table] of projection.tables.entries()) {
    const { text, sources } = tables[index];
    const columns = [...own, ...Object.keys(table.columns)];
    try {
      await copyText(client, `${target(table)} (${columns.join(', ')})`, text);
    } catch (error) {
      throw isEventFault(error) ? refusedRow(projection, sources, error) : error;
    }
  }
}

/** An error that names the stream whose row the database has refused. */
function refusedRow({ name }: Projection, sources: readonly Source[], cause: Error): Error {
  const line = /, line (\d+)/.exec((cause as DatabaseError).where ?? '')?.[1];
  if (!line) return cause;
  const { streamId, tenantId } = sources[Number(line) - 1];
  return new Error(
    `Projection ${name} cannot keep stream ${streamId}, tenant ${tenantId}: ${cause.message}`,
    { cause },
  );
}
