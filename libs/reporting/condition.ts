import type { SourceContext } from './columns/column';

/** Binds a value and answers its placeholder. The only way by which a client's text gets near a query. */
export type Bind = (value: unknown) => string;

/** A condition on the report's rows. */
export interface Condition {
  /** Aliases of the report's joins that the condition names. */
  joins?: readonly string[];
  sql(bind: Bind, context: SourceContext): string;
}
