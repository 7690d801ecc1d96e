import type { Period } from '#kernel/periods';
import type { Grain } from '#projections/projection';

/** What a column's values are. Decides how they are shown, compared with group keys and aggregated. */
export type ColumnType = 'text' | 'id' | 'boolean' | 'integer' | 'decimal' | 'day' | 'instant';

export const aggFuncs = ['sum', 'avg', 'min', 'max', 'count', 'countDistinct'] as const;
export type AggFunc = (typeof aggFuncs)[number];

/** What a column's SQL may need besides the tables. */
export interface SourceContext {
  /** Placeholder of the month, 1 to 12, that starts the tenant's financial year. */
  financialYearStart(): string;
}

/** One column of a report: its only declaration. Names, SQL, validation, the schema's documentation come from here. */
export interface Column {
  name: string;
  type: ColumnType;
  description: string;
  /** SQL of the value over the report's table aliases. */
  source: string | ((context: SourceContext) => string);
  /** The one column of the report's facts that the source is made of; that of a joined column its join knows. */
  of?: string;
  /** For a column made of a day: the finest grain of days that tells its values apart. */
  grain?: Grain;
  /** For a column made of a day: the days that have a value; undefined for what is no such value. */
  daysOf?: (value: string, financialYearStart: number) => Period | undefined;
  /**
   * No two records that facts refer to have the same value, or no two of those that are there now, as a number is given
   * again once its record was deleted: the column tells as much as the facts' own.
   */
  isUnique?: 'ever' | 'now';
  /** A value is that of few rows, which an index of the facts finds. */
  isSelective?: boolean;
  /** Rows in the order of the column are in that of their days. */
  byDay?: boolean;
  /** The report's joins that the source needs, by alias. */
  joins?: readonly string[];
  /** For a column that is a reference of a joined record: the record's column. */
  by?: string;
  /** Never null, even beside a missing join. */
  required?: boolean;
  /** The only values a text column has, so that a group key can be checked. */
  choices?: readonly string[];
  /** A quantity rather than a property of the item. */
  measure?: Measure;
}

export interface Measure {
  aggFuncs: readonly AggFunc[];
  /** Amounts in the row's own currency must not be added to those of another. */
  perCurrency?: boolean;
  /** What is summed is the source; the value is made of it at the end, so that no rounding is summed. */
  finish?: (sql: string) => string;
  /** The facts' column with the source's value, times ten to the power of `scale`. Never null. */
  fact?: { column: string; scale: number };
  /** The aggregate is made of the sums of other columns, and is shown with or without an aggFunc. */
  ratio?: { of: readonly string[]; sql: (...sums: string[]) => string };
}

/** The aggFuncs that a column takes. */
export function allowedAggFuncs(column: Column): readonly AggFunc[] {
  if (column.measure) return column.measure.aggFuncs;
  const ordered = column.type === 'day' || column.type === 'instant' || column.type === 'integer';
  return ordered ? ['min', 'max', 'count', 'countDistinct'] : ['count', 'countDistinct'];
}

/** A measure that adds up. */
export function additive(column: string, scale: number): Measure {
  return { aggFuncs: ['sum', 'avg', 'min', 'max', 'count'], fact: { column, scale } };
}

/** A measure in the currency of its row that adds up. */
export function money(column: string, scale: number): Measure {
  return { ...additive(column, scale), perCurrency: true };
}
