import { keyColumns, NO_KEY, rollupCode } from '#projections/derived-tables';
import { live } from '#projections/live';
import type { SourceContext } from '../columns/column';
import { baseOf, baseOfJoin, joinClauses, joinsNeeded } from '../columns/report';
import type { Bind, Condition } from '../condition';
import type { Demand } from '../sources/demand';
import type { Piece } from '../sources/pieces';
import type { Over, RollupSource, Source } from '../sources/source';

/** The tenant's placeholder in every query. */
export const TENANT = '$1';

interface Building {
  over: Over;
  demand: Demand;
  zone: string;
  bind: Bind;
  context: SourceContext;
  /** Of sums, where not all groups are wanted. */
  top?: TopGroups;
}

/** Which groups are wanted of those that sums are made of. */
export interface TopGroups {
  /** ORDER BY and FETCH FIRST over the sums. */
  order: string;
  /**
   * What is grouped by one record in place of all that share its names: the facts' column, and a query of records (`id`)
   * each with the one that stands for it (`one`).
   */
  sharing: readonly { column: string; records: string }[];
}

/**
 * What stands behind FROM and WHERE: the rows of a source under the report's alias, each table bound to the tenant and
 * its live generation. Of the listing they are the report's rows; else sums of facts, one row for each combination of
 * the demanded keys, with `items`, the number of facts, and columns as `extreme` names them.
 */
export function baseOfSource(source: Source, building: Building): { from: string; where: string[] } {
  const { over, zone } = building;
  const { report } = over;
  const later = over.conditions.filter((condition) => condition.meetsAbsent);
  const asLater = later.map((condition) => condition.sql(building.bind, building.context));
  if (source.kind === 'listing') {
    const period = over.period ? report.within(over.period, zone) : [];
    const conditions = [...period, ...over.conditions].map((condition) => asked(condition, building));
    const own = live(report.projection, report.alias, TENANT);
    return {
      from: `read_model.${report.table} ${report.alias}`,
      where: [own, ...conditions.flat(), ...asLater],
    };
  }
  const parts =
    source.kind === 'facts'
      ? [fromFacts(building, daysWithin(building, over.period))]
      : source.pieces.map((piece) => fromRollup(building, source, piece));
  const base =
    parts.length === 1
      ? parts[0]
      : addedUp(
          { ...building, top: undefined },
          `(\n${parts.join('\n  union all\n')}\n  )`,
          'sum(items)',
          [],
        );
  const top = building.top ? `\n  ${building.top.order}` : '';
  return { from: `(\n  ${base}${top}\n  ) ${report.alias}`, where: asLater };
}

/** Name of a measure's least or greatest value in a source of sums. */
export function extreme(column: string, end: 'min' | 'max'): string {
  return `${column}_${end}`;
}

/** Conditions that a row of the report's own table can be asked; those of joined tables ask which keys meet them. */
function asked(condition: Condition, { over: { report }, bind, context }: Building): string[] {
  if (condition.meetsAbsent) return [];
  const sql = condition.sql(bind, context);
  if (!condition.joins?.length) return [sql];
  const [root, ...others] = joinsNeeded(report, condition.joins);
  const keys = `select ${root.alias}.id from read_model.${root.table} ${root.alias}
    ${joinClauses(others, TENANT)}
    where ${live(root.projection, root.alias, TENANT)} and ${sql}`;
  return [`${report.alias}.${baseOfJoin(report, condition.joins[0])} = any(array(${keys}))`];
}

function fromFacts(building: Building, period: string[]): string {
  const { report, conditions } = building.over;
  const { facts } = report.derived;
  const where = [
    live(report.projection, report.alias, TENANT),
    ...period,
    ...conditions.flatMap((condition) => asked(condition, building)),
  ];
  return addedUp(building, `read_model.${facts?.name ?? report.table}`, 'count(*)', where);
}

function daysWithin({ over: { report }, bind }: Building, period: Over['period']): string[] {
  const day = `${report.alias}.${report.derived.rollup.day}`;
  return [
    ...(period?.min ? [`${day} >= ${bind(period.min)}::date`] : []),
    ...(period?.max ? [`${day} <= ${bind(period.max)}::date`] : []),
  ];
}

function fromRollup(building: Building, { dimension, merges }: RollupSource, piece: Piece): string {
  const { over, bind } = building;
  const { report } = over;
  const { rollup } = report.derived;
  const { columns, grains } = rollup.dimensions[dimension];
  const isMerged = merges && piece.grain === 'year';
  if (!isMerged && !grains.includes(piece.grain))
    return fromFacts(building, daysWithin(building, { min: piece.from, max: piece.to }));
  const [dimensionCode, grainCode] = rollupCode(rollup, dimension, piece.grain, isMerged);
  const keyed = keyColumns(rollup).slice(0, columns.length);
  const value = (key: string, column: string) =>
    rollup.required.includes(column) ? key : `nullif(${key}, '${NO_KEY}')`;
  const taken = [
    `r.period as ${rollup.day}`,
    ...keyed.flatMap((key, place) => [
      `r.${key}`,
      `${value(`r.${key}`, columns[place])} as ${columns[place]}`,
    ]),
    ...[...Object.keys(rollup.splits), 'items', ...rollup.sums].map((name) => `r.${name}`),
  ];
  const rows = `(
    select ${taken.join(', ')} from read_model.${rollup.name} r
    where ${live(report.projection, 'r', TENANT)} and r.dimension = ${dimensionCode} and r.grain = ${grainCode}
      and ${[...periods(piece, bind), 'r.items <> 0'].join(' and ')}
  )`;
  const conditions = over.conditions.filter((condition) => !condition.isCounted);
  const asks = conditions.flatMap((condition) => asked(condition, building));
  // By the keys as they are kept: in that order the index gives the rows of a period.
  const own = Object.fromEntries(
    columns.map((column, place) => {
      const by = `${report.alias}.${keyed[place]}`;
      return [column, { sql: value(by, column), by }];
    }),
  );
  const items = `sum(${report.alias}.items)`;
  if (!building.top?.sharing.length) return addedUp(building, rows, items, asks, { own });
  // PostgreSQL takes a rollup's thousands of rows for one, as it knows how common each part of the key is by itself, and
  // made the records that share names anew for every row. A full join is never made row by row; what asks for the rollup's
  // own row outside of it would make it a left join again.
  const wanted =
    asks.length > 0 ? `(select * from ${rows} ${report.alias} where ${asks.join(' and ')})` : rows;
  return addedUp(building, wanted, items, [`coalesce(${report.alias}.items, 0) <> 0`], { own, join: 'full' });
}

function periods({ from, to }: Piece, bind: Bind): string[] {
  if (from !== null && from === to) return [`r.period = ${bind(from)}::date`];
  return [
    ...(from ? [`r.period >= ${bind(from)}::date`] : []),
    ...(to ? [`r.period <= ${bind(to)}::date`] : []),
  ];
}

interface Adding {
  /** Keys that are made of another column, by which is grouped. */
  own?: Record<string, { sql: string; by: string }>;
  /** How the records that share names are joined. */
  join?: 'left' | 'full';
}

/** Sums by the demanded keys; no row where there is nothing to add up. */
function addedUp(
  { over: { report, conditions }, demand, top }: Building,
  from: string,
  items: string,
  where: string[],
  { own = {}, join = 'left' }: Adding = {},
) {
  const { alias } = report;
  // The conditions that come later still need their column.
  const later = conditions.flatMap(({ meetsAbsent, of }) => (meetsAbsent ? [of!] : []));
  const names = [...new Set([...later, ...[...demand.keys].map((column) => baseOf(report, column)!)])];
  const kept = (name: string) => own[name]?.by ?? `${alias}.${name}`;
  const sharing = new Map(
    top?.sharing.map(({ column, records }) => {
      const as = `same_${column}`;
      return [
        column,
        { one: `${as}.one`, join: `${join} join (${records}) ${as} on ${as}.id = ${kept(column)}` },
      ];
    }),
  );
  const keys = names.map((name) => {
    const made = sharing.get(name)?.one ?? own[name]?.sql;
    return made ? `${made} as ${name}` : kept(name);
  });
  const by = names.map((name) => sharing.get(name)?.one ?? kept(name));
  const joins = [...sharing.values()].map((each) => `\n  ${each.join}`).join('');
  const columns = (measures: Demand['sums']) => [
    ...new Set([...measures].map(({ measure }) => measure!.fact!.column)),
  ];
  const sums = columns(demand.sums).map((name) => `sum(${alias}.${name}) as ${name}`);
  const extremes = columns(demand.extremes).flatMap((name) =>
    (['min', 'max'] as const).map((end) => `${end}(${alias}.${name}) as ${extreme(name, end)}`),
  );
  return `select ${[...keys, `${items} as items`, ...sums, ...extremes].join(', ')}
  from ${from} ${alias}${joins}${where.length > 0 ? `\n  where ${where.join(' and ')}` : ''}
  group by ${by.length > 0 ? by.join(', ') : '()'} having count(*) > 0`;
}
