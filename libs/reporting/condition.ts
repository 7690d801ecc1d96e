import type { Period } from '#kernel/periods';
import type { Grain } from '#projections/projection';
import type { SourceContext } from './columns/column';

/** Binds a value and answers its placeholder. The only way by which a client's text gets near a query. */
export type Bind = (value: unknown) => string;

/** A condition on the report's rows. */
export interface Condition {
  /** The one column of the report's table that it asks, itself or through joins; undefined: one that facts have not. */
  of: string | undefined;
  /** Aliases of the report's joins that the condition names. */
  joins?: readonly string[];
  sql(bind: Bind, context: SourceContext): string;
  /** For a condition on a day: the finest grain of days that it tells apart. */
  grain?: Grain;
  /** Rows without what is joined may meet it. */
  meetsAbsent?: boolean;
  /** Rollups hold only what meets it. */
  isCounted?: boolean;
  /** Few rows meet it, which an index finds. */
  isSelective?: boolean;
}

/** What a report is over. */
export interface Restrictions {
  /** Local days of the report's day column. */
  period?: Period;
  conditions: Condition[];
}
