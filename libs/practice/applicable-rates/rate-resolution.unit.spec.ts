import * as fc from 'fast-check';
import type { Folded } from '#event-store/events';
import { nameOfKeys } from '../rate-sets/rate-set';
import type { RateEntry, RateKeys, RateSetFields } from '../rate-sets/rate-set.events';
import type { TaskTypeFields } from '../task-types/task-type.events';
import { naiveRate } from '../testing/naive-rate';
import type { ApplicableRateFields } from './applicable-rate.events';
import { type RatedWork, type RateSources, rateLevels, resolveRate } from './rate-resolution';

let made = 0;
function folded<Data extends object>(kind: string, data: Data): Folded<Data> {
  const id = `${kind}_${String(++made).padStart(32, '0')}` as Folded['id'];
  return { id, version: 1, audit: { createdOn: '', createdBy: '', updatedOn: '', updatedBy: '' }, data };
}
const gbp = (amount: string) => ({ amount, currency: 'GBP' });

const keys: RateKeys = {
  employeeId: 'employee_1',
  taskTypeId: 'tasktype_1',
  billingGrade: 'A',
  jobTitle: 'Partner',
  matterTypeId: 'mattertype_1',
};
const work: RatedWork = { per: 'Hour', day: '2025-06-15', currency: 'GBP', keys };
const nobody = folded('employee', { defaultRate: null });
const nothing: RateSources = { matterRates: [], clientRates: [], employee: nobody };
const set = (entries: RateEntry[], fields: Partial<RateSetFields> = {}) =>
  folded('rateset', {
    name: 'Set',
    currency: 'GBP',
    isDefault: false,
    from: null,
    to: null,
    entries,
    ...fields,
  });
const hour = (rate: string, named: RateKeys = {}): RateEntry => ({ rate, per: 'Hour', ...named });
const agreed = (amount: string, fields: Partial<ApplicableRateFields> = {}) =>
  folded('applicablerate', {
    scope: 'Matter' as const,
    scopeId: 'matter_1',
    rate: gbp(amount),
    per: 'Hour' as const,
    employeeId: null,
    billingGrade: null,
    taskTypeId: null,
    effectiveFrom: '2025-01-01',
    effectiveTo: null,
    ...fields,
  });
const taskType = (fields: Partial<TaskTypeFields>) =>
  folded('tasktype', {
    code: 'T',
    name: 'T',
    itemType: null,
    phaseCode: null,
    taskCode: null,
    activityCode: null,
    narration: null,
    isBillable: true,
    rate: null,
    ...fields,
  });

describe('the rate of work', () => {
  it('is that of the first level that has one', () => {
    const all: RateSources = {
      matterRates: [agreed('1')],
      clientRates: [agreed('2')],
      matterSet: set([hour('3')]),
      clientSet: set([hour('4')]),
      taskType: taskType({ rate: gbp('5') }),
      employee: folded('employee', { defaultRate: gbp('6') }),
      defaultSet: set([hour('7')]),
    };
    const without: Partial<RateSources>[] = [
      {},
      { matterRates: [] },
      { clientRates: [] },
      { matterSet: undefined },
      { clientSet: undefined },
      { taskType: undefined },
      { employee: nobody },
      { defaultSet: undefined },
    ];
    const found = without.map((_, level) =>
      resolveRate(work, Object.assign({ ...all }, ...without.slice(0, level + 1))),
    );
    expect(found.map(({ source }) => source)).toEqual([...rateLevels, null]);
    expect(found.map(({ rate }) => rate?.amount)).toEqual(['1', '2', '3', '4', '5', '6', '7', undefined]);
    for (const { trace, source } of found) {
      const last = source === null ? rateLevels.length : rateLevels.indexOf(source) + 1;
      expect(trace.map(({ level }) => level)).toEqual(rateLevels.slice(0, last));
    }
  });

  it('comes from the entry that matches by most keys, and among equally many by the more specific keys', () => {
    const named = (...names: (keyof RateKeys)[]) =>
      Object.fromEntries(names.map((name) => [name, keys[name]]));
    const best = (...entries: RateEntry[]) =>
      resolveRate(work, { ...nothing, defaultSet: set(entries) }).rate?.amount;
    expect(best(hour('1'), hour('2', named('matterTypeId')))).toBe('2');
    expect(best(hour('1', named('employeeId')), hour('2', named('jobTitle', 'matterTypeId')))).toBe('2');
    expect(best(hour('1', named('taskTypeId')), hour('2', named('employeeId')))).toBe('2');
    expect(
      best(hour('1', named('employeeId', 'matterTypeId')), hour('2', named('taskTypeId', 'billingGrade'))),
    ).toBe('1');
    expect(best(hour('1'), hour('2', { employeeId: 'employee_2' }))).toBe('1');
    expect(best(hour('1'), { ...hour('2', named('employeeId')), per: 'Unit' })).toBe('1');
  });

  it('is never one in another currency, and the trace says that it was skipped', () => {
    const aud = agreed('1', { rate: { amount: '1', currency: 'AUD' }, billingGrade: 'A' });
    const { rate, trace } = resolveRate(work, { ...nothing, matterRates: [agreed('2'), aud] });
    expect(rate).toEqual(gbp('2'));
    expect(trace).toEqual([
      {
        level: 'MatterRate',
        outcome: 'OtherCurrency',
        recordId: aud.id,
        detail: '1 AUD is not in GBP',
      },
      { level: 'MatterRate', outcome: 'Found', recordId: expect.any(String), detail: '2 GBP' },
    ]);
    const other = set([hour('1')], { currency: 'AUD' });
    const none = resolveRate(work, { ...nothing, matterSet: other });
    expect(none.rate).toBeNull();
    expect(none.trace[2]).toMatchObject({ outcome: 'OtherCurrency', recordId: other.id });
  });

  it('has a trace that tells why a level gave no rate', () => {
    const outcomes = (sources: Partial<RateSources>, of = work) =>
      resolveRate(of, { ...nothing, ...sources }).trace.map(({ outcome }) => outcome);
    expect(outcomes({})).toEqual(Array(7).fill('None'));
    expect(
      outcomes({
        matterRates: [agreed('1', { effectiveFrom: '2025-06-16' })],
        clientRates: [agreed('1', { billingGrade: 'Z' })],
        matterSet: set([hour('1')], { to: '2025-06-14' }),
        clientSet: set([hour('1')], { from: '2025-06-16' }),
        taskType: taskType({ rate: gbp('1'), itemType: 1 }),
        employee: folded('employee', { defaultRate: { amount: '1', currency: 'AUD' } }),
        defaultSet: set([]),
      }),
    ).toEqual(['NotInForce', 'NoMatch', 'NotInForce', 'NotInForce', 'NoMatch', 'OtherCurrency', 'NoMatch']);
    const unit = { ...work, per: 'Unit' as const };
    expect(outcomes({ employee: folded('employee', { defaultRate: gbp('1') }) }, unit)[5]).toBe('NoMatch');
  });

  describe('compared with a naive evaluator', () => {
    const some = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
    const currency = fc.constantFrom('GBP', 'GBP', 'AUD');
    const day = fc.constantFrom('2025-01-01', '2025-06-14', '2025-06-15', '2025-06-16', '2025-12-31');
    const amount = fc.nat(500).map(String);
    const per = fc.constantFrom('Hour' as const, 'Hour' as const, 'Unit' as const);
    const orNull = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });
    const [first, second] = [(name: string) => `${name}_1`, (name: string) => `${name}_2`];
    const value = (name: string) => fc.constantFrom(first(name), first(name), first(name), second(name));
    const anyKeys = fc.record(
      {
        employeeId: value('employee'),
        taskTypeId: value('tasktype'),
        billingGrade: value('grade'),
        jobTitle: value('title'),
        matterTypeId: value('mattertype'),
      },
      { requiredKeys: [] },
    );
    const anyEntry = fc.tuple(amount, per, anyKeys).map(([rate, of, named]) => ({ rate, per: of, ...named }));
    const anySet = fc
      .record({
        currency,
        from: orNull(day),
        to: orNull(day),
        entries: fc.uniqueArray(anyEntry, { maxLength: 60, selector: nameOfKeys }),
      })
      .map((fields) => set(fields.entries, fields));
    // Rates with the same keys share no day: requireNoOverlap ensures that.
    const anyAgreed = fc
      .uniqueArray(
        fc.record({
          per,
          employeeId: orNull(value('employee')),
          taskTypeId: orNull(value('tasktype')),
          billingGrade: orNull(value('grade')),
          effectiveFrom: day,
          effectiveTo: orNull(day),
          rate: fc.record({ amount, currency }),
        }),
        { maxLength: 12, selector: (rate) => nameOfKeys({ ...rate, rate: '' } as unknown as RateEntry) },
      )
      .map((rates) => rates.map((fields) => agreed('0', fields)));
    const money = fc.record({ amount, currency });
    const anySources = fc.record({
      matterRates: fc.oneof(fc.constant([]), anyAgreed),
      clientRates: fc.oneof(fc.constant([]), anyAgreed),
      matterSet: some(anySet),
      clientSet: some(anySet),
      defaultSet: some(anySet),
      taskType: some(
        fc
          .record({ itemType: fc.constantFrom(0 as const, 1 as const, null), rate: orNull(money) })
          .map(taskType),
      ),
      employee: orNull(money).map((defaultRate) => folded('employee', { defaultRate })),
    });
    const anyWork = fc.record({ per, day, currency, keys: anyKeys });

    it('is the same for any rates and any work', () => {
      const seen = new Map<string | null, number>();
      fc.assert(
        fc.property(anyWork, anySources, (of, sources) => {
          const { source, rate, trace } = resolveRate(of, sources);
          const naive = naiveRate(of, sources);
          expect({ source, rate }).toEqual(naive ?? { source: null, rate: null });
          expect(trace.filter(({ outcome }) => outcome === 'Found')).toHaveLength(naive ? 1 : 0);
          seen.set(source, (seen.get(source) ?? 0) + 1);
        }),
        { numRuns: 3000 },
      );
      // Every level, and no level at all, was found often enough to be significant. The rarest occurs about 30 times.
      for (const source of [...rateLevels, null]) expect(seen.get(source) ?? 0).toBeGreaterThan(5);
    });
  });
});
