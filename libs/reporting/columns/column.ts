import type { Period } from '#kernel/periods';
import type { Grain } from '#projections/projection';

/** The type of a column's values. It decides how values are shown, compared with group keys and aggregated. */
export type ColumnType = 'text' | 'id' | 'boolean' | 'integer' | 'decimal' | 'day' | 'instant';

export const aggFuncs = ['sum', 'avg', 'min', 'max', 'count', 'countDistinct'] as const;
export type AggFunc = (typeof aggFuncs)[number];

/** Values that a column's SQL may need in addition to the tables. */
export interface SourceContext {
  /** Returns the placeholder of the month, 1 to 12, in which the tenant's financial year starts. */
  financialYearStart(): string;
}

/** The only declaration of a report's column: names, SQL, validation and the schema's documentation derive from it. */
export interface Column {
  name: string;
  type: ColumnType;
  description: string;
  /** SQL of the value, written with the report's table aliases. */
  source: string | ((context: SourceContext) => string);
  /**
   * The only column of the fact table that the source is computed from. A joined column gets it from its join instead.
   */
  of?: string;
  /** For a column computed from a day: the finest grain of days that distinguishes its values. */
  grain?: Grain;
  /**
   * For a column computed from a day: the days that have a value; undefined when the text is not a value of the column.
   */
  daysOf?: (value: string, financialYearStart: number) => Period | undefined;
  /**
   * Set when records that facts refer to never share a value, so that grouping by this column is the same as grouping
   * by the fact table's own column. `now`: only the records that currently exist are unique, because a number can be
   * reused after its record was deleted.
   */
  isUnique?: 'ever' | 'now';
  /** Few rows have the same value, and an index of the facts finds them. */
  isSelective?: boolean;
  /** Sorting rows by this column also sorts them by day. */
  byDay?: boolean;
  /** Aliases of the report's joins that the source needs. */
  joins?: readonly string[];
  /** For a column that is a foreign key of a joined record: the name of that record's column. */
  by?: string;
  /** The value is never null, even when a joined record is missing. */
  required?: boolean;
  /**
   * All values that a text column can have, so that a group key can be checked. `of` holds the place of the value among
   * them, from 0.
   */
  choices?: readonly string[];
  /** Set when the column is a quantity rather than a property of the item. */
  measure?: Measure;
}

export interface Measure {
  aggFuncs: readonly AggFunc[];
  /** Amounts are in the currency of their row, so amounts of different currencies must not be added up. */
  perCurrency?: boolean;
  /** Computes the value from the summed source at the end, so that no rounded values are summed. */
  finish?: (sql: string) => string;
  /**
   * The fact table's column that holds the source's value. With a `scale` it holds whole numbers, the value times ten to
   * the power of `scale`. Never null.
   */
  fact?: { column: string; scale?: number };
  /** The aggregate is computed from the sums of other columns, with or without an aggFunc. */
  ratio?: { of: readonly string[]; sql: (...sums: string[]) => string };
}

/** The aggFuncs that a column allows. */
export function allowedAggFuncs(column: Column): readonly AggFunc[] {
  if (column.measure) return column.measure.aggFuncs;
  const ordered = column.type === 'day' || column.type === 'instant' || column.type === 'integer';
  return ordered ? ['min', 'max', 'count', 'countDistinct'] : ['count', 'countDistinct'];
}

/** The ratio that an aggregate of the column is; undefined if it is another aggregate, such as the greatest value. */
export function ratioOf({ measure }: Column, aggFunc: AggFunc | undefined): Measure['ratio'] {
  return aggFunc === undefined || aggFunc === 'avg' ? measure?.ratio : undefined;
}

/** A measure whose values can be added up. */
export function additive(column: string, scale?: number): Measure {
  return { aggFuncs: ['sum', 'avg', 'min', 'max', 'count'], fact: { column, scale } };
}

/** A measure that can be added up within one currency: the currency of its row. */
export function money(column: string, scale?: number): Measure {
  return { ...additive(column, scale), perCurrency: true };
}
