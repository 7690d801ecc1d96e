import { type Grain, grains } from '#projections/projection';
import { baseOf, type Report } from '../columns/report';
import type { Restrictions } from '../condition';
import type { Demand } from './demand';
import { type Piece, piecesOf } from './pieces';

/** The source that a query reads from. */
export type Source =
  /** The rows of the report's own table. */
  | { kind: 'listing' }
  /** Facts, added up by the demanded columns. */
  | { kind: 'facts' }
  /**
   * Sums kept for a dimension. Days at the edges of a period, which the sums do not distinguish, are read from facts.
   * `merges`: whole years may be read from merged rows.
   */
  | { kind: 'rollup'; dimension: string; pieces: Piece[]; merges: boolean };

export type RollupSource = Extract<Source, { kind: 'rollup' }>;

/** The rows that a query covers. */
export interface Over extends Restrictions {
  report: Report;
}

/** The sources that can answer a query, best first. All of them give the same answer. */
export function sourcesFor(over: Over, demand: Demand): Source[] {
  if (demand.rows || over.conditions.some(({ of }) => !isFact(over.report, of))) return [{ kind: 'listing' }];
  const rollup = rollupFor(over, demand);
  const facts: Source[] = [{ kind: 'facts' }, { kind: 'listing' }];
  if (!rollup) return facts;
  // Reading the facts that an index finds is faster than reading all sums.
  const isFound = !isNarrow(over) || isFoundIn(over, rollup.dimension);
  return isFound ? [rollup, ...facts] : [facts[0], rollup, facts[1]];
}

/** Whether the few rows that a query covers belong to some keys of the dimension, so that an index finds their sums. */
function isFoundIn({ report, conditions }: Over, dimension: string): boolean {
  const { dimensions, required } = report.derived.rollup;
  const [first] = dimensions[dimension].columns;
  const selective = conditions.filter(({ isSelective }) => isSelective);
  return required.includes(first) && selective.every(({ of }) => of === first);
}

/** Whether a query covers few rows, which an index finds. */
export function isNarrow({ conditions }: Over): boolean {
  return conditions.some(({ isSelective }) => isSelective);
}

function isFact({ derived: { facts } }: Report, column: string | undefined): boolean {
  return column !== undefined && (!facts || column in facts.columns);
}

function rollupFor({ report, period, conditions }: Over, demand: Demand): RollupSource | undefined {
  const { rollup } = report.derived;
  const isCounted = conditions.some((condition) => condition.isCounted);
  if (demand.extremes.size > 0 || (!isCounted && report.derived.facts)) return undefined;
  const asked = conditions.filter((condition) => !condition.isCounted).map(({ of }) => of!);
  const columns = new Set([...asked, ...[...demand.keys].map((column) => baseOf(report, column)!)]);
  const isApart = rollup.merged?.some((name) => columns.has(name));
  for (const own of [...Object.keys(rollup.splits), rollup.day]) columns.delete(own);
  const allowed = allowedGrains([...demand.keys, ...conditions]);
  for (const [dimension, { columns: own, grains, mergesYears }] of Object.entries(rollup.dimensions)) {
    if (![...columns].every((column) => own.includes(column))) continue;
    const merges = !!mergesYears && !isApart;
    const kept = allowed.filter((grain) => grains.includes(grain) || (grain === 'year' && merges));
    const pieces = piecesOf(period ?? { min: null, max: null }, kept);
    if (pieces.some(({ grain }) => kept.includes(grain)))
      return { kind: 'rollup', dimension, pieces, merges };
  }
  return undefined;
}

/** The grains that distinguish everything that the columns and conditions distinguish. */
function allowedGrains(asking: readonly { grain?: Grain }[]): Grain[] {
  const asked = asking.flatMap(({ grain }) => grain ?? []);
  const finest = asked.includes('day') ? 'day' : asked.includes('month') ? 'month' : 'year';
  return grains.slice(0, grains.indexOf(finest) + 1);
}

/** Describes a source for `extensions.report` of the answer. */
export function describe(source: Source): string {
  if (source.kind !== 'rollup') return source.kind;
  return `rollup ${source.dimension}: ${[...new Set(source.pieces.map(({ grain }) => grain))].join(', ')}`;
}
