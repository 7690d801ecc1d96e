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

/** What streams amount to in one projection. */
export interface Share {
  projection: Projection;
  events: number;
  /** For each of the projection's tables. */
  rows: ReadRow[][];
}

export interface Filled {
  /** The last stream whose rows are among these. */
  tenantId: number;
  streamId: string;
  /** One for each projection. */
  shares: Share[];
}

/** The rows of a tenant's streams in each projection, in chunks that a transaction can take: each stream is read once. */
export async function* rowsOf(
  history: History,
  client: ClientBase,
  projections: readonly Projection[],
  tenants: readonly { id: number; upTo: Position; after?: string }[],
  asOf?: Date,
): AsyncGenerator<Filled> {
  const types = [...new Set(projections.flatMap(({ eventTypes }) => [...eventTypes]))];
  let chunk: Filled | undefined;
  for (const { id: tenantId, upTo, after } of tenants) {
    for await (const streams of history.streams(client, { tenantId, types, upTo, after, asOf })) {
      for (const events of streams) {
        chunk ??= { tenantId, streamId: '', shares: projections.map(emptyShare) };
        for (const share of chunk.shares) add(share, events);
        chunk.tenantId = tenantId;
        chunk.streamId = events[0].streamId;
      }
      if (!chunk || rowCount(chunk) < CHUNK_ROWS) continue;
      yield chunk;
      chunk = undefined;
    }
  }
  if (chunk) yield chunk;
}

function emptyShare(projection: Projection): Share {
  return { projection, events: 0, rows: projection.tables.map(() => []) };
}

function rowCount({ shares }: Filled): number {
  return shares.reduce((sum, { rows }) => rows.reduce((own, { length }) => own + length, sum), 0);
}

/** Adds a stream's rows, if any of its events are for the projection. */
function add(share: Share, events: readonly RecordedEvent[]): void {
  const { projection } = share;
  const relevant = events.filter(({ event }) => projection.eventTypes.has(event.type));
  if (relevant.length === 0) return;
  for (const [table, rows] of rowsIn(projection, relevant).entries())
    for (const row of rows) share.rows[table].push(row);
  share.events += relevant.length;
}

/**
 * Copies rows into tables, within the client's transaction if it has one.
 * @param generation of tables that do not know it themselves
 */
export async function copyInto(
  client: ClientBase,
  { projection, rows }: Share,
  target: Target,
  generation?: number,
): Promise<void> {
  const own = generation === undefined ? [] : ['generation'];
  for (const [index, table] of projection.tables.entries()) {
    const columns = [...own, ...Object.keys(table.columns)];
    const values = generation === undefined ? rows[index] : rows[index].map((row) => [generation, ...row]);
    try {
      await copyRows(client, `${target(table)} (${columns.join(', ')})`, values);
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

function rowsIn(projection: Projection, events: RecordedEvent[]): ReadRow[][] {
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
