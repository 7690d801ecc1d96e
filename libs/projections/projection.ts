import type { PoolClient } from 'pg';
import type { RecordedEvent } from '#event-store/events';

/** A table of a read model, in schema read_model, LIST-partitioned by its column `generation`. */
export interface ReadTable {
  name: string;
  /** SQL types of all columns except `generation`, by name. The first is `tenant_id`. */
  columns: Readonly<Record<string, string>>;
  /** Columns that identify a row within its generation, `tenant_id` first. */
  key: readonly string[];
  /** The column with the id of the stream that a row results from. */
  stream: string;
}

/**
 * A narrow copy of a read table, of integers and ids only, for queries that read very many rows. It has one row for
 * each row of the read table.
 */
export interface FactTable {
  name: string;
  /**
   * Columns in addition to the read table's key: their SQL type, and SQL of the value computed from a row of the read
   * table.
   */
  columns: Readonly<Record<string, { type: string; value(row: string): string }>>;
}

/** Units of days, finest first. */
export const grains = ['day', 'month', 'year'] as const;
export type Grain = (typeof grains)[number];

export interface RollupDimension {
  /** The fact columns to group by: at most two, UUIDs. None: one sum over all facts. */
  columns: readonly string[];
  grains: readonly Grain[];
  /**
   * Also keeps, for each year, one row that merges the splits of `merged`: with many keys, fewer rows are faster to
   * read.
   */
  mergesYears?: true;
}

/**
 * Sums of the facts by dimension, so that reports read far fewer rows. Each dimension has its own grains: a row covers
 * a day, a month or a year, identified by its first day.
 */
export interface RollupTable {
  name: string;
  /** SQL condition that a fact must meet to be added up. */
  counts(row: string): string;
  /** The fact column with the day. */
  day: string;
  /**
   * A row's code of a dimension is its index here, so the order must never change. A dimension of two columns comes
   * after the dimensions of each of them.
   */
  dimensions: Readonly<Record<string, RollupDimension>>;
  /**
   * Columns of dimensions that are never null, so that a condition on one of them can be looked up by the rollup's key.
   */
  required: readonly string[];
  /** Further columns, with their SQL types, whose values split each sum into rows. */
  splits: Readonly<Record<string, string>>;
  /** The splits, of a numeric type, that merged years add up. */
  merged?: readonly string[];
  /** Columns that are added up, in addition to `items`, the number of facts. */
  sums: readonly string[];
}

/** Tables that are derived from a projection's first table instead of events, and partitioned like it. */
export interface Derived {
  /** Absent if the read table itself is narrow. */
  facts?: FactTable;
  rollup: RollupTable;
}

/** Values of a row, in the order of its table's columns. */
export type ReadRow = readonly unknown[];

/** The rows of one stream, made of its events one after the other: a long stream is never in memory as a whole. */
export interface StreamRows {
  add(event: RecordedEvent): void;
  /** The rows, by table, that result from the events so far, at least one. */
  rows(): ReadRow[][];
}

/** Builds read tables from events. No other code knows its tables. */
export interface Projection {
  /** The name in checkpoints and on the command line, with dashes: `work-items`. */
  name: string;
  /** Must be raised whenever the same events result in other rows. */
  version: number;
  tables: readonly ReadTable[];
  derived?: Derived;
  eventTypes: ReadonlySet<string>;
  /** Folds events, in feed order, into row changes of one generation. Runs in the checkpoint's transaction. */
  apply(client: PoolClient, generation: number, events: RecordedEvent[]): Promise<void>;
  /** Begins the rows that result from all of one stream's events of those types. */
  ofStream(): StreamRows;
}
