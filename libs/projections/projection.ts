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

/** A narrow copy of a read table: one row a row of it, of integers and ids, for queries that read very many. */
export interface FactTable {
  name: string;
  /** Columns beside the read table's key: SQL type, and SQL of the value over a row of the read table. */
  columns: Readonly<Record<string, { type: string; value(row: string): string }>>;
}

export type Grain = 'day' | 'month' | 'year';

export interface RollupDimension {
  /** The facts' columns that it is kept by, UUIDs, two at most; none: all in one. */
  columns: readonly string[];
  grains: readonly Grain[];
  /** Years are kept merged as well: where keys are many, one row for each is read sooner than several. */
  mergesYears?: true;
}

/**
 * Sums by one dimension at a time, or by two that go together, so that there are far fewer rows than facts. Each is kept
 * at grains of its own: a grain's period is its first day.
 */
export interface RollupTable {
  name: string;
  /** SQL: whether a fact counts. */
  counts(row: string): string;
  /** The facts' column with the day. */
  day: string;
  /** In the order of their numbers, which are never changed; before those of two columns come those of either. */
  dimensions: Readonly<Record<string, RollupDimension>>;
  /** Columns of dimensions that are never null: what is asked of them is found by the rollup's key. */
  required: readonly string[];
  /** Columns by whose values each sum is told apart, with their SQL types. */
  splits: Readonly<Record<string, string>>;
  /** Those of them, numbers, that the sums of merged years are not apart by. */
  merged?: readonly string[];
  /** Columns that are added up, beside `items`, the number of facts. */
  sums: readonly string[];
}

/** Tables that follow from a projection's first table, and not from events: partitioned as that is. */
export interface Derived {
  /** Absent where the read table itself is narrow. */
  facts?: FactTable;
  rollup: RollupTable;
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
  derived?: Derived;
  eventTypes: ReadonlySet<string>;
  /** Folds events, in feed order, into row changes of one generation. Runs in the checkpoint's transaction. */
  apply(client: PoolClient, generation: number, events: RecordedEvent[]): Promise<void>;
  /** The rows of each table that one stream's events of those types, from the first on, amount to. */
  rows(events: readonly RecordedEvent[]): ReadRow[][];
}
