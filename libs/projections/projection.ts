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

/** A narrow copy of a read table, of integers and ids only, for queries that read very many rows: one row for each of its. */
export interface FactTable {
  name: string;
  /** Columns beside the read table's key: SQL type, and SQL of the value over a row of the read table. */
  columns: Readonly<Record<string, { type: string; value(row: string): string }>>;
}

export type Grain = 'day' | 'month' | 'year';

export interface RollupDimension {
  /** The facts' columns to group by: at most two, UUIDs. None: one sum over all facts. */
  columns: readonly string[];
  grains: readonly Grain[];
  /** Also keeps, for each year, one row that merges the splits of `merged`: with many keys, fewer rows are read sooner. */
  mergesYears?: true;
}

/**
 * Sums of the facts by each dimension, so that reports read far fewer rows. Each dimension has its own grains: a row is
 * for a day, a month or a year, named by its first day.
 */
export interface RollupTable {
  name: string;
  /** SQL condition: whether a fact is added up at all. */
  counts(row: string): string;
  /** The facts' column with the day. */
  day: string;
  /**
   * Rows name a dimension by its place in this order, which must never change. A dimension of two columns stands after
   * the dimensions of each of them.
   */
  dimensions: Readonly<Record<string, RollupDimension>>;
  /** Columns of dimensions that are never null, so that a condition on one can be looked up by the rollup's key. */
  required: readonly string[];
  /** Further columns, with their SQL types, by whose values each sum is split into rows. */
  splits: Readonly<Record<string, string>>;
  /** The splits, of a number type, that merged years add together. */
  merged?: readonly string[];
  /** Columns that are added up, beside `items`, the number of facts. */
  sums: readonly string[];
}

/** Tables made from a projection's first table instead of events, and partitioned like it. */
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
  /** The rows, by table, that result from all of one stream's events of those types. */
  rows(events: readonly RecordedEvent[]): ReadRow[][];
}
