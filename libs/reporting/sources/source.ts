import type { Period } from '#kernel/periods';
import type { Grain } from '#projections/projection';
import { baseOf, type Report } from '../columns/report';
import type { Condition } from '../condition';
import type { Demand } from './demand';
import { type Piece, piecesOf } from './pieces';

/** Where a query reads from. */
export type Source =
  /** The report's rows themselves. */
  | { kind: 'listing' }
  /** Facts, added up by the columns in demand. */
  | { kind: 'facts' }
  /**
   * Sums that are kept by one dimension; days at the edges of a period, which they do not tell apart, from facts.
   * `merges`: whole years may come from merged ones.
   */
  | { kind: 'rollup'; dimension: string; pieces: Piece[]; merges: boolean };

/** What a query is over. */
export interface Over {
  report: Report;
  period?: Period;
  conditions: readonly Condition[];
}

/** The sources that can answer, best first. Every one gives the same answer. */
export function sourcesFor(over: Over, demand: Demand): Source[] {
  if (demand.rows || over.conditions.some(({ of }) => !isFact(over.report, of))) return [{ kind: 'listing' }];
  const rollup = rollupFor(over, demand);
  const facts: Source[] = [{ kind: 'facts' }, { kind: 'listing' }];
  if (!rollup) return facts;
  // What an index finds is read from the facts sooner than all of the sums.
  return isNarrow(over) ? [facts[0], rollup, facts[1]] : [rollup, ...facts];
}

/** Whether it is over few rows, which an index finds. */
export function isNarrow({ conditions }: Over): boolean {
  return conditions.some(({ isSelective }) => isSelective);
}

function isFact({ derived: { facts } }: Report, column: string | undefined): boolean {
  return column !== undefined && (!facts || column in facts.columns);
}

function rollupFor({ report, period, conditions }: Over, demand: Demand): Source | undefined {
  const { rollup } = report.derived;
  const isCounted = conditions.some((condition) => condition.isCounted);
  if (demand.extremes.size > 0 || (!isCounted && report.derived.facts)) return undefined;
  const asked = conditions.filter((condition) => !condition.isCounted).map(({ of }) => of!);
  const columns = new Set([...asked, ...[...demand.keys].map((column) => baseOf(report, column)!)]);
  const isApart = rollup.merged?.some((name) => columns.has(name));
  for (const own of [...Object.keys(rollup.splits), rollup.day]) columns.delete(own);
  const found = Object.entries(rollup.dimensions).find(([, { column }]) =>
    column === null ? columns.size === 0 : columns.size === 1 && columns.has(column),
  );
  if (!found) return undefined;
  const [dimension, { grains, mergesYears }] = found;
  const grain = coarsest([...demand.keys, ...conditions]);
  const isTold = grain === 'year' || grains.includes(grain);
  const pieces = piecesOf(period ?? { min: null, max: null }, grain);
  return isTold ? { kind: 'rollup', dimension, pieces, merges: !!mergesYears && !isApart } : undefined;
}

/** The coarsest grain that tells apart all that columns and conditions do. */
function coarsest(asking: readonly { grain?: Grain }[]): Grain {
  const grains = asking.flatMap(({ grain }) => grain ?? []);
  return grains.includes('day') ? 'day' : grains.includes('month') ? 'month' : 'year';
}

/** As `extensions.report` tells it. */
export function describe(source: Source): string {
  if (source.kind !== 'rollup') return source.kind;
  return `rollup ${source.dimension}: ${[...new Set(source.pieces.map(({ grain }) => grain))].join(', ')}`;
}
