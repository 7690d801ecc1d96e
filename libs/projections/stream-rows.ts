import type { ClientBase, DatabaseError } from 'pg';
import type { RecordedEvent } from '#event-store/events';
import type { History } from '#event-store/history';
import type { Position } from '#event-store/position';
import { copyRows } from '#platform/copy-rows';
import { EventNotApplied, isEventFault } from './event-not-applied';
import type { Projection, ReadRow, ReadTable } from './projection';

/** Rows that are copied in one transaction: some hundredths of a second. */
const CHUNK_ROWS = 2_000;

/** A table that rows are copied into. */
export type Target = (table: ReadTable) => string;

export interface Filled {
  /** The last stream whose rows are among these. */
  tenantId: number;
  streamId: string;
  events: number;
  /** For each of the projection's tables. */
  rows: ReadRow[][];
}

/** The rows of a tenant's streams, in chunks that a transaction can take. */
export async function* rowsOf(
  history: History,
  client: ClientBase,
  projection: Projection,
  tenants: readonly { id: number; upTo: Position; after?: string }[],
  asOf?: Date,
): AsyncGenerator<Filled> {
  const types = [...projection.eventTypes];
  let chunk: Filled | undefined;
  for (const { id: tenantId, upTo, after } of tenants) {
    for await (const streams of history.streams(client, { tenantId, types, upTo, after, asOf })) {
      for (const events of streams) {
        chunk ??= { tenantId, streamId: '', events: 0, rows: projection.tables.map(() => []) };
        const rows = folded(projection, events);
        for (const [table, own] of rows.entries()) for (const row of own) chunk.rows[table].push(row);
        chunk.tenantId = tenantId;
        chunk.streamId = events[0].streamId;
        chunk.events += events.length;
      }
      if (!chunk || chunk.rows.every(({ length }) => length < CHUNK_ROWS)) continue;
      yield chunk;
      chunk = undefined;
    }
  }
  if (chunk) yield chunk;
}

/** Copies rows into tables that know their generation, within the client's transaction if it has one. */
export async function copyInto(
  client: ClientBase,
  projection: Projection,
  target: Target,
  rows: readonly ReadRow[][],
): Promise<void> {
  for (const [index, table] of projection.tables.entries()) {
    try {
      await copyRows(client, `${target(table)} (${Object.keys(table.columns).join(', ')})`, rows[index]);
    } catch (error) {
      throw isEventFault(error) ? refusedRow(projection, table, rows[index], error) : error;
    }
  }
}

/** Tells which stream made the row that the database did not take. */
function refusedRow({ name }: Projection, table: ReadTable, rows: readonly ReadRow[], cause: Error): Error {
  const line = /, line (\d+)/.exec((cause as DatabaseError).where ?? '')?.[1];
  if (!line) return cause;
  const row = rows[Number(line) - 1];
  const stream = row[Object.keys(table.columns).indexOf(table.stream)];
  return new Error(`Projection ${name} cannot keep stream ${stream}, tenant ${row[0]}: ${cause.message}`, {
    cause,
  });
}

function folded(projection: Projection, events: RecordedEvent[]): ReadRow[][] {
  try {
    return projection.rows(events);
  } catch (error) {
    throw new EventNotApplied(projection.name, firstFault(projection, events), error as Error);
  }
}

/** The first event that cannot be folded with those before it. */
function firstFault(projection: Projection, events: RecordedEvent[]): RecordedEvent {
  return events.find((_, index) => {
    try {
      projection.rows(events.slice(0, index + 1));
      return false;
    } catch {
      return true;
    }
  })!;
}
