import type { SourceContext } from '../columns/column';
import type { Bind } from '../condition';
import type { Demand } from '../sources/demand';
import type { Source } from '../sources/source';

/** Placeholder of the tenant in every query. */
export const TENANT = '$1';

/** A query with its bound values. */
export interface Query {
  text: string;
  values: unknown[];
  /** One plan suits all values, so the statement is worth preparing. */
  recurs: boolean;
}

/** The values that every query of a report is bound to. */
export interface Scope {
  tenantId: number;
  zone: string;
  /** The month, 1 to 12, in which the tenant's financial year starts. */
  financialYearStart: number;
  /** From this row on, a query looks up on which day the page begins. */
  deepFrom: number;
  /** A page of more records than these is read in its order, and not record by record. */
  manyKeys: number;
  /** Limit in bytes for the rows of a page. */
  mostBytes: number;
  /** How facts and sums that are whole numbers are added up: `bigint` is faster, and fails where a sum exceeds it. */
  addsAs: 'bigint' | 'numeric';
}

/** The context in which the parts of a query are built. */
export interface Building {
  scope: Scope;
  source: Source;
  demand: Demand;
  bind: Bind;
  context: SourceContext;
  values: unknown[];
}

export function building(scope: Scope, source: Source, demand: Demand): Building {
  const values: unknown[] = [scope.tenantId];
  const bind: Bind = (value) => `$${values.push(value)}`;
  let start: string | undefined;
  const context = { financialYearStart: () => (start ??= `${bind(scope.financialYearStart)}::integer`) };
  return { scope, source, demand, bind, context, values };
}

export function isSummed({ source }: Building): boolean {
  return source.kind !== 'listing';
}
