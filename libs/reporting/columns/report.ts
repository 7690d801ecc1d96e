import type { Period } from '#kernel/periods';
import { live } from '#projections/live';
import type { Derived } from '#projections/projection';
import type { Condition } from '../condition';
import { allowedAggFuncs, type Column } from './column';

export interface Join {
  alias: string;
  table: string;
  projection: string;
  on: string;
  /** The report's column that it hangs on; one that needs others hangs on theirs. */
  of?: string;
  /** Joins that must come before. */
  needs?: readonly string[];
  /** The column by which the join before it refers to it. */
  by?: string;
  /** A tenant has some hundreds of these records at most: to look at all of them is nothing beside a report. */
  few?: boolean;
}

/** A report: its table, the tables beside it, its columns. */
export interface Report {
  /** As the query and the answer name it. */
  name: string;
  table: string;
  projection: string;
  alias: string;
  /** The table's columns that tell a row from all others, by which ties are broken. */
  key: readonly string[];
  joins: readonly Join[];
  columns: ReadonlyMap<string, Column>;
  /** The tables that follow from the report's own. */
  derived: Derived;
  /** Conditions under which a row's day lies in a period. */
  within(period: Period, zone: string): Condition[];
  /** SQL that rows are of that day or later; `down`: or earlier. */
  fromDay(day: string, down: boolean): string[];
}

export function columnsByName(columns: readonly Column[]): ReadonlyMap<string, Column> {
  return new Map(columns.map((column) => [column.name, column]));
}

/** The aliases with those that they need, in the order of the report's joins. */
export function joinsNeeded(report: Report, aliases: Iterable<string>): Join[] {
  const needed = new Set<string>();
  const add = (alias: string) => {
    for (const before of joinOf(report, alias).needs ?? []) add(before);
    needed.add(alias);
  };
  for (const alias of aliases) add(alias);
  return report.joins.filter(({ alias }) => needed.has(alias));
}

/** LEFT JOINs, each table bound to the tenant and its live generation. */
export function joinClauses(joins: readonly Join[], tenant: string): string {
  return joins
    .map(
      ({ alias, table, projection, on }) =>
        `left join read_model.${table} ${alias} on ${live(projection, alias, tenant)} and ${on}`,
    )
    .join('\n  ');
}

/** The same for few rows, each looked up by its id: what PostgreSQL takes for many it would join with a whole table. */
export function lookups(joins: readonly Join[], tenant: string): string {
  return joins
    .map(
      ({ alias, table, projection, on }) => `left join lateral (
    select * from read_model.${table} ${alias} where ${live(projection, alias, tenant)} and ${on} offset 0
  ) ${alias} on true`,
    )
    .join('\n  ');
}

/** The report's column that a join hangs on. */
export function baseOfJoin(report: Report, alias: string): string {
  const { of, needs } = joinOf(report, alias);
  return of ?? baseOfJoin(report, needs![0]);
}

/** The one column of the report's facts that a column is made of; undefined: facts do not know it. */
export function baseOf(report: Report, { of, joins }: Column): string | undefined {
  const base = of ?? (joins && baseOfJoin(report, joins[0]));
  const { facts } = report.derived;
  return base === undefined || (facts && !(base in facts.columns)) ? undefined : base;
}

/** The column of the record that facts refer to which is all that is asked of it: by what it refers to another. */
export function referenceOf(report: Report, { by, joins }: Pick<Column, 'by' | 'joins'>): string | undefined {
  const [, next] = joinsNeeded(report, joins ?? []);
  return by ?? next?.by;
}

function joinOf(report: Report, alias: string): Join {
  return report.joins.find((join) => join.alias === alias)!;
}

/** The columns as a Markdown list, for the schema's documentation. */
export function describeColumns(report: Report): string {
  return [...report.columns.values()]
    .map((column) => {
      const aggFuncs = allowedAggFuncs(column).join(', ');
      return `- \`${column.name}\` (${column.type}; ${aggFuncs}): ${column.description}`;
    })
    .join('\n');
}
