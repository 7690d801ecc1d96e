import type { Period } from '#kernel/periods';
import type { Grain } from '#projections/projection';
import type { SourceContext } from './columns/column';

/** Binds a value and returns its placeholder: the only way in which a client's text reaches a query. */
export type Bind = (value: unknown) => string;

/** A condition on the report's rows. */
export interface Condition {
  /**
   * The only column of the report's table that it tests, directly or through joins; undefined: a column that facts
   * lack.
   */
  of: string | undefined;
  /** Aliases of the report's joins that the condition uses. */
  joins?: readonly string[];
  sql(bind: Bind, context: SourceContext): string;
  /** For a condition on a day: the finest grain of days that it distinguishes. */
  grain?: Grain;
  /** Rows whose joined record is missing meet the condition, too. */
  meetsAbsent?: boolean;
  /** Rollups contain only rows that meet this condition. */
  isCounted?: boolean;
  /** Few rows meet the condition, and an index finds them. */
  isSelective?: boolean;
}

/** Which rows a report covers. */
export interface Restrictions {
  /** Local days of the report's day column. */
  period?: Period;
  conditions: readonly Condition[];
}
