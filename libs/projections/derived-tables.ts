import { NIL } from 'uuid';
import {
  type Derived,
  type FactTable,
  type Grain,
  grains,
  type Projection,
  type ReadTable,
  type RollupTable,
} from './projection';

/** Stands for a missing value in a rollup's key columns, which are not nullable. */
export const NO_KEY = NIL;

/** The code of a grain in a rollup's rows is its index; the next number is the code of merged years. */
const MERGED_YEAR = grains.length;

/** In a merged year's row: the value of the splits that the row adds up. */
const MERGED = '-1';

/** The codes of a dimension and a grain in a rollup's rows. */
export function rollupCode(
  rollup: RollupTable,
  dimension: string,
  grain: Grain,
  isMerged: boolean,
): [number, number] {
  const number = isMerged ? MERGED_YEAR : grains.indexOf(grain);
  return [Object.keys(rollup.dimensions).indexOf(dimension), number];
}

/** All tables that a projection fills, with the storage parameters for a new partition. */
export function physicalTables({ tables, derived }: Projection): { name: string; storage: string }[] {
  return [
    ...tables.map(({ name }) => ({ name, storage: '' })),
    // Leaves room in the pages for updates that change no indexed column.
    ...(derived?.facts ? [{ name: derived.facts.name, storage: 'with (fillfactor = 85)' }] : []),
    ...(derived ? [{ name: derived.rollup.name, storage: 'with (fillfactor = 70)' }] : []),
  ];
}

/** How a derived table, or a part of its rows, is computed. */
interface Derivation {
  table: string;
  /** The table of which each row results in one row here; absent where rows are added up. */
  from?: string;
  columns: string[];
  /** SELECT of the rows as computed from the source. */
  select: string;
  /** SELECT of the rows as stored. */
  shown(from: string): string;
}

/**
 * The derivations that together give the whole contents of a projection's derived tables.
 * @param from returns the table of a name, or the generation of it, that the rows are derived from
 */
export function derivations(
  { tables: [source], derived }: Projection,
  from: (table: string) => string,
): Derivation[] {
  if (!derived) return [];
  const { facts, rollup } = derived;
  const made = facts ? [factDerivation(source, facts, from(source.name))] : [];
  return [...made, ...rollupDerivations(rollup, from(facts?.name ?? source.name))];
}

function factDerivation(source: ReadTable, facts: FactTable, from: string): Derivation {
  const columns = Object.entries(facts.columns);
  const names = [...source.key, ...columns.map(([name]) => name)];
  const taken = [...source.key, ...columns.map(([name, { value }]) => `${value('r')} as ${name}`)];
  return {
    table: facts.name,
    from,
    columns: names,
    select: `select ${taken.join(', ')} from ${from} r`,
    shown: (there) => `select ${names.join(', ')} from ${there} r`,
  };
}

function rollupDerivations(rollup: RollupTable, from: string): Derivation[] {
  const sums = rollup.sums.map((name) => `sum(${name})`);
  const columns = [...rollupKey(rollup), 'items', ...rollup.sums];
  const some = ['items', ...rollup.sums].map((name) => `${name} <> 0`).join(' or ');
  return kept(rollup, 'r').map(({ code, period, keys, splits }) => {
    const group = ['tenant_id', ...code, period, ...keys, ...splits];
    return {
      table: rollup.name,
      columns,
      select: `select ${[...group, 'count(*)', ...sums].join(', ')} from ${from} r
        where ${rollup.counts('r')} group by ${group.map((_, index) => index + 1).join(', ')}`,
      // A sum that fell to zero is stored as a row of zeros.
      shown: (there) => `select ${columns.join(', ')} from ${there} r
        where (dimension, grain) = (${code.join(', ')}) and (${some})`,
    };
  });
}

/** The columns of a rollup that hold the values of a dimension's columns, in the same order. */
export function keyColumns({ dimensions }: RollupTable): string[] {
  const most = Math.max(...Object.values(dimensions).map(({ columns }) => columns.length));
  return ['key', 'other_key'].slice(0, most);
}

function rollupKey(rollup: RollupTable): string[] {
  const own = [...keyColumns(rollup), ...Object.keys(rollup.splits)];
  return ['tenant_id', 'dimension', 'grain', 'period', ...own];
}

/** For each dimension at each of its grains: its codes, and SQL of the period, keys and splits of a fact. */
function kept(rollup: RollupTable, row: string) {
  return Object.entries(rollup.dimensions).flatMap(([dimension, { columns, grains: own, mergesYears }]) => {
    const at = (grain: Grain, isMerged: boolean) => ({
      code: rollupCode(rollup, dimension, grain, isMerged).map((number) => `${number}::smallint`),
      period: startOf(grain, `${row}.${rollup.day}`),
      keys: keyColumns(rollup).map((_, place) =>
        columns[place] ? `coalesce(${row}.${columns[place]}, '${NO_KEY}')` : `'${NO_KEY}'::uuid`,
      ),
      splits: Object.entries(rollup.splits).map(([name, type]) =>
        isMerged && rollup.merged?.includes(name) ? `'${MERGED}'::${type}` : `${row}.${name}`,
      ),
    });
    return [...own.map((grain) => at(grain, false)), ...(mergesYears ? [at('year', true)] : [])];
  });
}

function startOf(grain: Grain, day: string): string {
  if (grain === 'day') return day;
  if (grain === 'month') return `(${day} - (extract(day from ${day})::integer - 1))`;
  return `make_date(extract(year from ${day})::integer, 1, 1)`;
}

/**
 * Extends an INSERT into the read table to one statement that also updates the derived tables: each written row
 * rewrites its fact, and the rollup adds the new facts and subtracts the facts that they replaced.
 * @param insert INSERT … ON CONFLICT … of the source's rows, without RETURNING
 * @param generation placeholder of the generation
 */
export function withDerived(source: ReadTable, derived: Derived, insert: string, generation: string): string {
  const { facts, rollup } = derived;
  const names = facts
    ? Object.keys(facts.columns)
    : [rollup.day, ...dimensionColumns(rollup), ...Object.keys(rollup.splits), ...rollup.sums];
  const both = names.flatMap((name) => [`old.${name} as was_${name}`, `new.${name} as is_${name}`]);
  const returning = `returning old.tenant_id as tenant_before, new.tenant_id, ${both.join(', ')}`;
  return `with ${facts ? factInsert(source, facts, insert, generation) : `made as (${insert}`}
      ${returning}
    ), moved as (
      select tenant_id, 1 as items, ${names.map((name) => `is_${name} as ${name}`).join(', ')} from made
      union all
      select tenant_id, -1, ${names.map((name) => `${rollup.sums.includes(name) ? '-' : ''}was_${name}`).join(', ')}
      from made where tenant_before is not null
    )
    ${rollupInsert(rollup, generation)}`;
}

function dimensionColumns({ dimensions }: RollupTable): string[] {
  return [...new Set(Object.values(dimensions).flatMap(({ columns }) => columns))];
}

/**
 * SQL that ends inside the CTE `made`, so that RETURNING may follow. The CTE returns the facts that are new or changed.
 */
function factInsert(source: ReadTable, facts: FactTable, insert: string, generation: string): string {
  const columns = Object.entries(facts.columns);
  const names = columns.map(([name]) => name);
  const key = source.key.join(', ');
  const of = (row: string) => `(${names.map((name) => `${row}.${name}`).join(', ')})`;
  return `written as (
      ${insert}
      returning ${[...source.key.map((name) => `new.${name}`), ...columns.map(([name, { value }]) => `${value('new')} as ${name}`)].join(', ')}
    ), made as (
      insert into read_model.${facts.name} as f (generation, ${key}, ${names.join(', ')})
      select ${generation}, ${key}, ${names.join(', ')} from written order by ${key}
      on conflict (generation, ${key}) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}
      where ${of('f')} is distinct from ${of('excluded')}`;
}

/**
 * Adds the differences in `moved` to the rollup, all dimensions and grains in one pass of GROUPING SETS. Rows are
 * sorted so that concurrent writers lock them in the same order. Sums of zero are left out.
 */
function rollupInsert(rollup: RollupTable, generation: string): string {
  const key = rollupKey(rollup);
  const splits = Object.keys(rollup.splits);
  const merged = rollup.merged ?? [];
  const dimensions = Object.entries(rollup.dimensions);
  const keyed = dimensionColumns(rollup);
  const number = (columns: string, code: number) => `when grouping(${columns}) = 0 then ${code}`;
  // A set of two columns also groups by each of them, so dimensions of two columns, which come last, are tested first.
  const dimension = dimensions
    .flatMap(([, { columns }], code) => (columns.length > 0 ? number(columns.join(', '), code) : []))
    .reverse();
  const none = dimensions.findIndex(([, { columns }]) => columns.length === 0);
  const others = dimensions.flatMap(([, { columns }]) =>
    columns[1] ? `when grouping(${columns.join(', ')}) = 0 then ${columns[1]}` : [],
  );
  const keyValues = [
    `coalesce(${keyed.join(', ')}, '${NO_KEY}')`,
    ...(others.length > 0 ? [`case ${others.join(' ')} else '${NO_KEY}' end`] : []),
  ];
  const mergedYear = merged.slice(0, 1).map((name) => `when grouping(${name}) = 1 then ${MERGED_YEAR}`);
  const set = (...names: string[]) => `(${names.join(', ')})`;
  const sets = dimensions.flatMap(([, { columns, grains: own, mergesYears }]) => [
    ...own.map((grain) => set(...merged, grain, ...columns)),
    ...(mergesYears ? [set('year', ...columns)] : []),
  ]);
  const added = ['items', ...rollup.sums];
  const sums = added.map((name) => `sum(${name})`);
  const starts = grains.map((grain) => `${startOf(grain, `m.${rollup.day}`)} as ${grain}`);
  const keys = keyed.map((column) => `coalesce(m.${column}, '${NO_KEY}') as ${column}`);
  const always = splits.filter((name) => !merged.includes(name));
  const shown = splits.map((name) => (merged.includes(name) ? `coalesce(${name}, '${MERGED}')` : name));
  return `insert into read_model.${rollup.name} as r (generation, ${[...key, ...added].join(', ')})
    select ${generation}, tenant_id, (case ${dimension.join(' ')} else ${none} end)::smallint,
      (case ${[...mergedYear, ...grains.map((grain, code) => number(grain, code))].join(' ')} end)::smallint,
      coalesce(${grains.join(', ')}), ${[...keyValues, ...shown, ...sums].join(', ')}
    from (
      select tenant_id, ${[...starts, ...keys, ...splits, ...added].join(', ')} from moved m where ${rollup.counts('m')}
    ) m
    group by ${['tenant_id', ...always].join(', ')}, grouping sets (${sets.join(', ')})
    having ${sums.map((sum) => `${sum} <> 0`).join(' or ')}
    order by ${key.map((_, index) => index + 2).join(', ')}
    on conflict (generation, ${key.join(', ')}) do update set ${added.map((name) => `${name} = r.${name} + excluded.${name}`).join(', ')}`;
}
