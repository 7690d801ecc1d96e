import type { Money } from '#kernel/money';
import type { RatedWork, RateSources } from '../applicable-rates/rate-resolution';

type Rate = { per: string; currency: string; amount: string } & Partial<Record<string, string | null>>;

const names: Record<string, string> = {
  e: 'employeeId',
  t: 'taskTypeId',
  b: 'billingGrade',
  j: 'jobTitle',
  m: 'matterTypeId',
};

/**
 * Every choice of keys by precedence, as in resources.md: more keys come before fewer, and equally many in its order of
 * keys.
 */
const choices = [
  'etbjm',
  'etbj',
  'etbm',
  'etjm',
  'ebjm',
  'tbjm',
  'etb',
  'etj',
  'etm',
  'ebj',
  'ebm',
  'ejm',
  'tbj',
  'tbm',
  'tjm',
  'bjm',
  'et',
  'eb',
  'ej',
  'em',
  'tb',
  'tj',
  'tm',
  'bj',
  'bm',
  'jm',
  'e',
  't',
  'b',
  'j',
  'm',
  '',
].map((letters) => [...letters].map((letter) => names[letter]));

/** The rate of work and its level, by trying level after level and choice after choice: slow but simple. */
export function naiveRate(
  work: RatedWork,
  sources: RateSources,
): { source: string; rate: Money } | undefined {
  const agreed = (rates: RateSources['matterRates']): Rate[] =>
    rates
      .filter(({ data }) => !(work.day < data.effectiveFrom))
      .filter(({ data }) => !(data.effectiveTo && data.effectiveTo < work.day))
      .map(({ data: { rate, per, employeeId, billingGrade, taskTypeId } }) => ({
        ...rate,
        per,
        employeeId,
        billingGrade,
        taskTypeId,
      }));
  const ofSet = (set: RateSources['matterSet']): Rate[] => {
    if (!set) return [];
    const { from, to, currency, entries } = set.data;
    if (from && work.day < from) return [];
    if (to && work.day > to) return [];
    return entries.map(({ rate, ...entry }) => ({ ...entry, amount: rate, currency }));
  };
  const type = sources.taskType?.data;
  const own = sources.employee.data.defaultRate;
  const levels: [string, Rate[]][] = [
    ['MatterRate', agreed(sources.matterRates)],
    ['ClientRate', agreed(sources.clientRates)],
    ['MatterRateSet', ofSet(sources.matterSet)],
    ['ClientRateSet', ofSet(sources.clientSet)],
    [
      'TaskType',
      type?.rate
        ? ['Hour', 'Unit']
            .filter((_, item) => type.itemType === null || type.itemType === item)
            .map((per) => ({ ...type.rate!, per }))
        : [],
    ],
    ['EmployeeDefault', own ? [{ ...own, per: 'Hour' }] : []],
    ['DefaultRateSet', ofSet(sources.defaultSet)],
  ];
  for (const [source, rates] of levels) {
    for (const choice of choices) {
      for (const rate of rates) {
        if (rate.per !== work.per || rate.currency !== work.currency) continue;
        const keys = choices[0].filter((key) => rate[key] !== null && rate[key] !== undefined);
        if (keys.join() !== choices[0].filter((key) => choice.includes(key)).join()) continue;
        if (keys.some((key) => rate[key] !== (work.keys as Record<string, string>)[key])) continue;
        return { source, rate: { amount: rate.amount, currency: rate.currency } };
      }
    }
  }
  return undefined;
}
