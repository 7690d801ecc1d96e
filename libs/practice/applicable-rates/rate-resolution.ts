import type { Folded } from '#event-store/events';
import type { Money } from '#kernel/money';
import type { Day } from '#kernel/zone';
import {
  type Per,
  type RateKey,
  type RateKeys,
  type RateSetFields,
  rateKeys,
} from '../rate-sets/rate-set.events';
import type { TaskTypeFields } from '../task-types/task-type.events';
import { isInForce } from './applicable-rate';
import type { ApplicableRateFields } from './applicable-rate.events';

/** The levels that can supply a work item's rate if the request has none, in the order in which they are tried. */
export const rateLevels = [
  'MatterRate',
  'ClientRate',
  'MatterRateSet',
  'ClientRateSet',
  'TaskType',
  'EmployeeDefault',
  'DefaultRateSet',
] as const;
export type RateLevel = (typeof rateLevels)[number];

export const rateOutcomes = ['Found', 'None', 'NotInForce', 'NoMatch', 'OtherCurrency'] as const;
export type RateOutcome = (typeof rateOutcomes)[number];

/** The outcome for one level, or for one of its rates. */
export interface RateStep {
  level: RateLevel;
  outcome: RateOutcome;
  /** The record that was examined; null if there was none. */
  recordId: string | null;
  detail: string;
}

/** The work whose rate is resolved. */
export interface RatedWork {
  /** Hour for timed work, Unit for itemised. */
  per: Per;
  day: Day;
  /** The currency that the rate must be in. */
  currency: string;
  keys: RateKeys;
}

/** The records that can supply the rate, by level. */
export interface RateSources {
  matterRates: readonly Folded<ApplicableRateFields>[];
  clientRates: readonly Folded<ApplicableRateFields>[];
  matterSet?: Folded<RateSetFields>;
  clientSet?: Folded<RateSetFields>;
  taskType?: Folded<TaskTypeFields>;
  employee: Folded<{ defaultRate: Money | null }>;
  defaultSet?: Folded<RateSetFields>;
}

export interface ResolvedRate {
  rate: Money | null;
  source: RateLevel | null;
  /** The steps that were tried, in order, up to the one that found the rate. */
  trace: RateStep[];
}

/** Looks for a rate on one level, and returns the steps for the rates that it found or passed over. */
type Level = (work: RatedWork) => { rate?: Money; steps: Omit<RateStep, 'level'>[] };

/**
 * Resolves the rate of work. The first level wins that has a rate for the work, in its currency and on its day.
 * @see resources.md: Rate
 */
export function resolveRate(work: RatedWork, sources: RateSources): ResolvedRate {
  const { matterRates, clientRates, matterSet, clientSet, taskType, employee, defaultSet } = sources;
  const levels: Record<RateLevel, Level> = {
    MatterRate: ofApplicable(matterRates),
    ClientRate: ofApplicable(clientRates),
    MatterRateSet: ofSet(matterSet),
    ClientRateSet: ofSet(clientSet),
    TaskType: ofTaskType(taskType),
    EmployeeDefault: ofEmployee(employee),
    DefaultRateSet: ofSet(defaultSet),
  };
  const trace: RateStep[] = [];
  for (const [level, find] of Object.entries(levels) as [RateLevel, Level][]) {
    const { rate, steps } = find(work);
    trace.push(...steps.map((step) => ({ level, ...step })));
    if (rate) return { rate, source: level, trace };
  }
  return { rate: null, source: null, trace };
}

function ofApplicable(rates: RateSources['matterRates']): Level {
  return (work) => {
    if (rates.length === 0) return found('None', null, 'no rate was agreed');
    const inForce = rates.filter(({ data }) => isInForce(data, work.day));
    if (inForce.length === 0) return found('NotInForce', null, `no rate is for ${work.day}`);
    const candidates = inForce
      .filter(({ data }) => isFor(data, work))
      .map(({ id, data }) => ({ recordId: id, rate: data.rate, rank: telling(data) }));
    return best(work, candidates) ?? found('NoMatch', null, `none of ${inForce.length} is for such work`);
  };
}

function ofSet(set: Folded<RateSetFields> | undefined): Level {
  return (work) => {
    if (!set) return found('None', null, 'there is no rate set');
    const { from, to, currency, entries } = set.data;
    if ((from !== null && work.day < from) || (to !== null && work.day > to))
      return found('NotInForce', set.id, `the set is not for ${work.day}`);
    // A set can have a thousand entries, few of which apply to the work. Only these become candidates.
    const candidates = entries
      .filter((entry) => isFor(entry, work))
      .map((entry) => ({ recordId: set.id, rate: { amount: entry.rate, currency }, rank: telling(entry) }));
    return best(work, candidates) ?? found('NoMatch', set.id, `none of ${entries.length} is for such work`);
  };
}

function ofTaskType(taskType: RateSources['taskType']): Level {
  return ({ per, currency }) => {
    if (!taskType) return found('None', null, 'the work has no task type');
    const { rate, itemType } = taskType.data;
    if (!rate) return found('None', taskType.id, 'the task type has no rate');
    if (itemType !== null && (itemType === 0) !== (per === 'Hour'))
      return found('NoMatch', taskType.id, 'its rate is for the other kind of work');
    return inCurrency(rate, currency, taskType.id);
  };
}

function ofEmployee({ id, data: { defaultRate } }: RateSources['employee']): Level {
  return ({ per, currency }) => {
    if (!defaultRate) return found('None', id, 'the employee has no default rate');
    if (per !== 'Hour')
      return found('NoMatch', id, 'the default rate is for an hour, and the work is not timed');
    return inCurrency(defaultRate, currency, id);
  };
}

/** A rate that applies to the work. */
interface Candidate {
  recordId: string;
  rate: Money;
  rank: number;
}

/** The candidate of the highest rank. Candidates in another currency are passed over, each with a step. */
function best(work: RatedWork, candidates: Candidate[]): ReturnType<Level> | undefined {
  if (candidates.length === 0) return undefined;
  const said = ({ rate, recordId }: Candidate) => inCurrency(rate, work.currency, recordId);
  const passed = candidates.filter(({ rate }) => rate.currency !== work.currency);
  const steps = passed.flatMap((candidate) => said(candidate).steps);
  const [first] = candidates
    .filter(({ rate }) => rate.currency === work.currency)
    .sort((one, other) => other.rank - one.rank);
  if (!first) return { steps };
  const { rate, steps: taken } = said(first);
  return { rate, steps: [...steps, ...taken] };
}

type NamedKeys = Partial<Record<RateKey, string | null>>;

function isFor(rate: NamedKeys & { per: Per }, { per, keys }: RatedWork): boolean {
  return rate.per === per && rateKeys.every((key) => rate[key] == null || rate[key] === keys[key]);
}

/** The rank of a rate. It is greater for more keys, and among equally many for keys that come earlier in `rateKeys`. */
function telling(keys: NamedKeys): number {
  const flags = rateKeys.map((key): number => (keys[key] == null ? 0 : 1));
  const count = flags.reduce((sum, flag) => sum + flag);
  return flags.reduce((number, flag) => number * 2 + flag, count);
}

function inCurrency(rate: Money, currency: string, recordId: string): ReturnType<Level> {
  const detail = `${rate.amount} ${rate.currency}`;
  if (rate.currency === currency) return { rate, ...found('Found', recordId, detail) };
  return found('OtherCurrency', recordId, `${detail} is not in ${currency}`);
}

function found(outcome: RateOutcome, recordId: string | null, detail: string) {
  return { steps: [{ outcome, recordId, detail }] };
}
