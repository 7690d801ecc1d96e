import type { PoolClient } from 'pg';
import type { RecordedEvent } from '#event-store/events';

/** A table of a read model, in schema read_model, LIST-partitioned by its column `generation`. */
export interface ReadTable {
  name: string;
  /** SQL types of the columns beside `generation`, by name. The first is `tenant_id`. */
  columns: Readonly<Record<string, string>>;
  /** Columns that name a row within its generation, `tenant_id` first. */
  key: readonly string[];
  /** The column with the id of the stream that a row was made from. */
  stream: string;
}

/** Values of a row, in the order of its table's columns. */
export type ReadRow = readonly unknown[];

/** Builds read tables from events. Nothing else knows its tables. */
export interface Projection {
  /** As in checkpoints and on the command line, with dashes: `work-items`. */
  name: string;
  /** Raised whenever the same events make other rows. */
  version: number;
  tables: readonly ReadTable[];
  eventTypes: ReadonlySet<string>;
  /** Folds events, in feed order, into row changes of one generation. Runs in the checkpoint's transaction. */
  apply(client: PoolClient, generation: number, events: RecordedEvent[]): Promise<void>;
  /** The rows of each table that one stream's events of those types, from the first on, amount to. */
  rows(events: readonly RecordedEvent[]): ReadRow[][];
}
