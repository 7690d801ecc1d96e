import { baseOf, type Join, joinsNeeded, type Report, referenceOf } from '../columns/report';
import type { Demand } from '../sources/demand';
import { isNarrow, type Over, type Source } from '../sources/source';
import { joinClauses } from './joins';

/**
 * A joined record from which only foreign keys are needed. Facts are added up by these keys instead of by the record:
 * for example by six divisions instead of twenty thousand matters.
 */
export interface Step {
  join: Join;
  /** Columns of the record. */
  references: string[];
}

/** Steps by the fact table's column that refers to the record. */
export type Steps = ReadonlyMap<string, Step>;

/** The steps of a query. There are none when an index finds few facts: their records are looked up after adding up. */
export function stepsOf(over: Over, demand: Demand, source: Source): Steps {
  const { report } = over;
  const steps = new Map<string, Step>();
  if (source.kind === 'listing' || isNarrow(over)) return steps;
  const asking = [...demand.keys].map((column) => ({ base: baseOf(report, column), asks: column }));
  for (const { base, asks } of asking) {
    const all = asking.filter((each) => each.base === base);
    const references = all.map((each) => referenceOf(report, each.asks));
    if (base === undefined || !references.every((reference) => reference !== undefined)) continue;
    const [join] = joinsNeeded(report, asks.joins!);
    steps.set(base, { join, references: [...new Set(references)] });
  }
  return steps;
}

/**
 * Joins over facts that were added up by steps. A stepped record consists only of the foreign keys that are left of it.
 */
export function steppedJoins(report: Report, joins: readonly Join[], steps: Steps): string {
  const stepped = [...steps.values()].map(({ join: { alias }, references }) => {
    const left = references.map((reference) => `${report.alias}.${reference}`);
    return `cross join lateral (select ${left.join(', ')}) ${alias}\n  `;
  });
  const others = joins.filter((join) => ![...steps.values()].some((step) => step.join === join));
  return `${stepped.join('')}${joinClauses(others)}`;
}
