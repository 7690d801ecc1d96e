import { live } from '#projections/live';
import { allowedAggFuncs, type Column } from './column';

export interface Join {
  alias: string;
  table: string;
  projection: string;
  on: string;
  /** Joins that must come before. */
  needs?: readonly string[];
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
}

export function columnsByName(columns: readonly Column[]): ReadonlyMap<string, Column> {
  return new Map(columns.map((column) => [column.name, column]));
}

/** The FROM and WHERE that every query of a report starts with; each table is bound to the tenant and its live generation. */
export function fromClause(report: Report, joins: ReadonlySet<string>, tenant: string, conditions: string[]) {
  const needed = new Set<string>();
  const add = (alias: string) => {
    for (const before of report.joins.find((join) => join.alias === alias)?.needs ?? []) add(before);
    needed.add(alias);
  };
  joins.forEach(add);
  const joined = report.joins
    .filter((join) => needed.has(join.alias))
    .map(
      ({ alias, table, projection, on }) =>
        `left join read_model.${table} ${alias} on ${live(projection, alias, tenant)} and ${on}`,
    );
  return [
    `from read_model.${report.table} ${report.alias}`,
    ...joined,
    `where ${[live(report.projection, report.alias, tenant), ...conditions].join(' and ')}`,
  ].join('\n  ');
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
