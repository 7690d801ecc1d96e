import { tableOf } from '#practice/records/state-table';
import { keyColumns, NO_KEY, rollupCode } from '#projections/derived-tables';
import { baseOf } from '../columns/report';
import type { Piece } from '../sources/pieces';
import type { Over, RollupSource } from '../sources/source';
import { asked } from './asked';
import type { Building } from './building';
import { byMonth, type ComputedKeys, daysWithin, isOneMonth, periodsOf, rowsWithin } from './days';
import { liveOf, tableAs } from './joins';
import { type Steps, stepsOf } from './steps';
import { BIGINT_SUM, byFact, storedSum, sumFunction } from './sums';

interface BuildingBase extends Building {
  over: Over;
  steps: Steps;
  top?: TopGroups;
}

export interface Base {
  from: string;
  where: string[];
  /** Joined records that the sums replace by the foreign keys that are needed from them. */
  steps: Steps;
}

/** Which of the summed groups are wanted. */
export interface TopGroups {
  /** ORDER BY and FETCH FIRST that are applied to the sums. */
  order: string;
  /**
   * Records that share their names with others are grouped as one record: the fact table's column, and a query that
   * maps the id of each record (`id`) to the id of the record that represents it (`one`).
   */
  sharing: readonly { column: string; records: string }[];
}

/**
 * Builds FROM and WHERE: the rows of a source under the report's alias, each table restricted to the tenant and its
 * live generation. For the listing these are the report's rows. Otherwise they are sums of facts, one row for each
 * combination of the demanded keys, with `items`, the number of facts, and columns named by `extreme`.
 * @param top restricts sums to the groups that are wanted
 */
export function baseOfSource(over: Over, parts: Building, top?: TopGroups): Base {
  const { source, demand, bind } = parts;
  const steps = stepsOf(over, demand, source);
  const building = { ...parts, over, steps, top };
  const { report } = over;
  if (source.kind === 'listing') {
    const where = [
      ...rowsWithin(over, parts),
      ...over.conditions.map((condition) => asked(condition, over, parts)),
    ];
    return { from: tableAs(report), where, steps };
  }
  const sums =
    source.kind === 'facts'
      ? [fromFacts(building, daysWithin(report, over.period, bind))]
      : source.pieces.map((piece) => fromRollup(building, source, piece));
  const base =
    sums.length === 1
      ? sums[0]
      : addedUp(
          { ...building, top: undefined },
          `(\n${sums.join('\n  union all\n')}\n  )`,
          `${BIGINT_SUM}(items)`,
          [],
          { areMade: true },
        );
  const cut = top ? `\n  ${top.order}` : '';
  return { from: `(\n  ${base}${cut}\n  ) ${report.alias}`, where: [], steps };
}

/** Name of the column with a measure's least or greatest value in a source of sums. */
export function extreme(column: string, end: 'min' | 'max'): string {
  return `${column}_${end}`;
}

function fromFacts(building: BuildingBase, period: string[]): string {
  const { over } = building;
  const { report, conditions } = over;
  const { facts } = report.derived;
  const where = [
    liveOf(report),
    ...period,
    ...conditions.map((condition) => asked(condition, over, building)),
  ];
  const table = `read_model.${facts?.name ?? tableOf(report.projection)}`;
  return addedUp(building, table, 'count(*)', where, { own: byMonth(over, building.demand) });
}

function fromRollup(building: BuildingBase, { dimension, merges }: RollupSource, piece: Piece): string {
  const { over, bind } = building;
  const { report } = over;
  const { rollup } = report.derived;
  const { columns, grains } = rollup.dimensions[dimension];
  const isMerged = merges && piece.grain === 'year';
  if (!isMerged && !grains.includes(piece.grain))
    return fromFacts(building, daysWithin(report, { min: piece.from, max: piece.to }, bind));
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
    ...[...Object.keys(rollup.splits), 'items'].map((name) => `r.${name}`),
    ...byFact(building.demand.sums).map(
      ([name, column]) => `${storedSum(column, `r.${name}`, building)} as ${name}`,
    ),
  ];
  const rows = `(
    select ${taken.join(', ')} from read_model.${rollup.name} r
    where ${liveOf({ ...report, alias: 'r' })} and r.dimension = ${dimensionCode} and r.grain = ${grainCode}
      and ${[...periodsOf(piece, bind), 'r.items <> 0'].join(' and ')}
  )`;
  const conditions = over.conditions.filter((condition) => !condition.isCounted);
  const asks = conditions.map((condition) => asked(condition, over, building));
  // Grouped by the keys as they are stored: the index returns the rows of a period in that order.
  const own = Object.fromEntries(
    columns.map((column, place) => {
      const by = `${report.alias}.${keyed[place]}`;
      return [column, { sql: value(by, column), by }];
    }),
  );
  const items = `${BIGINT_SUM}(${report.alias}.items)`;
  const isLookedUp = building.steps.size === 0 || isOneMonth(piece);
  if (!building.top?.sharing.length && isLookedUp) return addedUp(building, rows, items, asks, { own });
  // PostgreSQL knows only how common each part of the key is by itself, so it estimates one row where a rollup has
  // thousands. It then looked up the records, or computed those that share names, again for every row. A full join is
  // never executed row by row. A condition on the rollup's own row outside of the subquery would turn it into a left
  // join again.
  const wanted =
    asks.length > 0 ? `(select * from ${rows} ${report.alias} where ${asks.join(' and ')})` : rows;
  return addedUp(building, wanted, items, [`coalesce(${report.alias}.items, 0) <> 0`], { own, join: 'full' });
}

interface Adding {
  own?: ComputedKeys;
  /** How the records are joined. */
  join?: 'left' | 'full';
  /** The rows that are added up have the keys already. */
  areMade?: boolean;
}

/** SELECT of sums grouped by the demanded keys. It returns no row when there is nothing to add up. */
function addedUp(
  building: BuildingBase,
  from: string,
  items: string,
  where: string[],
  { own = {}, join = 'left', areMade }: Adding = {},
) {
  const { demand, steps, top } = building;
  const { report } = building.over;
  const { alias } = report;
  const bases = [...new Set([...demand.keys].map((column) => baseOf(report, column)!))];
  const names = bases.flatMap((name) => steps.get(name)?.references ?? [name]);
  const kept = (name: string) => own[name]?.by ?? `${alias}.${name}`;
  const referring = areMade ? [] : stepped(steps);
  const referred = new Map(referring.flatMap(({ keys }) => keys));
  const records = [...referring, ...shared(top, (column) => referred.get(column) ?? kept(column))];
  const made = new Map(records.flatMap(({ keys }) => keys));
  const keys = names.map((name) => {
    const sql = made.get(name) ?? own[name]?.sql;
    return sql ? `${sql} as ${name}` : kept(name);
  });
  const by = names.map((name) => made.get(name) ?? kept(name));
  const joins = records.map(({ rows, as, on }) => `\n  ${join} join (${rows}) ${as} on ${on}`).join('');
  const sums = byFact(demand.sums).map(
    ([name, column]) => `${sumFunction(column, building)}(${alias}.${name}) as ${name}`,
  );
  const extremes = byFact(demand.extremes).flatMap(([name]) =>
    (['min', 'max'] as const).map((end) => `${end}(${alias}.${name}) as ${extreme(name, end)}`),
  );
  return `select ${[...keys, `${items} as items`, ...sums, ...extremes].join(', ')}
  from ${from} ${alias}${joins}${where.length > 0 ? `\n  where ${where.join(' and ')}` : ''}
  group by ${by.length > 0 ? by.join(', ') : '()'} having count(*) > 0`;
}

/** Records that are joined with the rows to add up, and the keys that they provide. */
interface Records {
  rows: string;
  as: string;
  on: string;
  keys: [name: string, sql: string][];
}

function stepped(steps: Steps): Records[] {
  return [...steps.values()].map(({ join, references }) => ({
    rows: `select ${['id', ...references].join(', ')} from ${tableAs(join)} where ${liveOf(join)}`,
    as: join.alias,
    on: join.on,
    keys: references.map((name) => [name, `${join.alias}.${name}`]),
  }));
}

function shared(top: TopGroups | undefined, kept: (column: string) => string): Records[] {
  return (top?.sharing ?? []).map(({ column, records }) => {
    const as = `same_${column}`;
    return { rows: records, as, on: `${as}.id = ${kept(column)}`, keys: [[column, `${as}.one`]] };
  });
}
