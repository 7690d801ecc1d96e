import { baseOf, type Join, joinClauses, joinsNeeded, type Report, referenceOf } from '../columns/report';
import type { Demand } from '../sources/demand';
import { isNarrow, type Over, type Source } from '../sources/source';

/**
 * A record that facts refer to of which nothing but what it refers to itself is asked: facts are added up by that. Twenty
 * thousand matters are of six divisions.
 */
export interface Step {
  join: Join;
  /** Columns of the record. */
  references: string[];
}

/** By the facts' own column. */
export type Steps = ReadonlyMap<string, Step>;

/** Where an index finds few facts, their records are looked up once they are added up. */
export function stepsOf(over: Over, demand: Demand, source: Source): Steps {
  const { report, conditions } = over;
  const steps = new Map<string, Step>();
  if (source.kind === 'listing' || isNarrow(over)) return steps;
  const asking = [
    ...[...demand.keys].map((column) => ({ base: baseOf(report, column), asks: column })),
    ...conditions.flatMap((asks) => (asks.meetsAbsent ? [{ base: asks.of, asks }] : [])),
  ];
  for (const { base, asks } of asking) {
    const all = asking.filter((each) => each.base === base);
    const references = all.map((each) => referenceOf(report, each.asks));
    if (base === undefined || !references.every((reference) => reference !== undefined)) continue;
    const [join] = joinsNeeded(report, asks.joins!);
    steps.set(base, { join, references: [...new Set(references)] });
  }
  return steps;
}

/** The joins over facts that were added up so: a record is then what is left of it. */
export function steppedJoins(report: Report, joins: readonly Join[], steps: Steps, tenant: string): string {
  const stepped = [...steps.values()].map(({ join: { alias }, references }) => {
    const left = references.map((reference) => `${report.alias}.${reference}`);
    return `cross join lateral (select ${left.join(', ')}) ${alias}\n  `;
  });
  const others = joins.filter((join) => ![...steps.values()].some((step) => step.join === join));
  return `${stepped.join('')}${joinClauses(others, tenant)}`;
}
