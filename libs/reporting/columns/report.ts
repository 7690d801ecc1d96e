import type { Period } from '#kernel/periods';
import type { Derived } from '#projections/projection';
import type { Bind } from '../condition';
import { allowedAggFuncs, type Column } from './column';

export interface Join {
  alias: string;
  projection: string;
  on: string;
  /** The report table's column that this join starts from. A join that needs other joins starts from theirs. */
  of?: string;
  /** Aliases of the joins that must come before this one. */
  needs?: readonly string[];
  /** The foreign key, in the record joined before, that refers to this one. */
  by?: string;
  /**
   * A tenant has some hundreds of these records at most, so reading all of them costs little compared with a report.
   */
  few?: boolean;
  /** The report's table has an index by `of` and the day. */
  isByDay?: boolean;
}

/** A report: the projection that fills its table, the joined tables and its columns. */
export interface Report {
  /** The report's name in the query and the answer. */
  name: string;
  projection: string;
  alias: string;
  /** The table's columns that identify a row. They order rows that sort equally. */
  key: readonly string[];
  joins: readonly Join[];
  columns: ReadonlyMap<string, Column>;
  /** The fact table and rollup that are derived from the report's own table. */
  derived: Derived;
  /** SQL conditions under which a row lies in a period; absent if its day decides. */
  within?(period: Period, zone: string, bind: Bind): string[];
  /** SQL that a row is of the given day or a later one; with `down`, of that day or an earlier one. */
  fromDay(day: string, down: boolean): string[];
}

export function columnsByName(columns: readonly Column[]): ReadonlyMap<string, Column> {
  return new Map(columns.map((column) => [column.name, column]));
}

/** The joins with these aliases and the joins that they need, in the order of the report's joins. */
export function joinsNeeded(report: Report, aliases: Iterable<string>): Join[] {
  const needed = new Set<string>();
  const add = (alias: string) => {
    for (const before of joinOf(report, alias).needs ?? []) add(before);
    needed.add(alias);
  };
  for (const alias of aliases) add(alias);
  return report.joins.filter(({ alias }) => needed.has(alias));
}

/** The report table's column that a join starts from. */
export function baseOfJoin(report: Report, alias: string): string {
  const { of, needs } = joinOf(report, alias);
  return of ?? baseOfJoin(report, needs![0]);
}

/**
 * The only column of the report's facts that a column is computed from; undefined when facts do not have that column.
 */
export function baseOf(report: Report, { of, joins }: Column): string | undefined {
  const base = of ?? (joins && baseOfJoin(report, joins[0]));
  const { facts } = report.derived;
  return base === undefined || (facts && !(base in facts.columns)) ? undefined : base;
}

/** The foreign key that is all that a column needs from the record that facts refer to; undefined if it needs more. */
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
