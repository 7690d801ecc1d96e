import * as fc from 'fast-check';
import type { DomainEvent } from '#kernel/decider';
import { given } from '#kernel/testing/given';
import { isUnbilled } from '../billable/billable';
import type { Movement } from '../billable/billable.events';
import { finalise, reinstate, remove, unfinalise } from '../billable/billable.transitions';
import { writeOff } from '../billable/billable.write-off';
import { WorkItem, type WorkItemState } from './work-item';
import type { WorkItemEvent, WorkItemFields } from './work-item.events';
import { priceWorkItem, requireChargeable } from './work-item.value';

const fields: WorkItemFields = {
  matterId: 'matter_00000000000000000000000000000001',
  employeeId: 'employee_00000000000000000000000000000002',
  taskTypeId: null,
  itemType: 0,
  entryDate: '2025-06-12T10:00:00.000Z',
  entryDay: '2025-06-12',
  durationTicks: 36_000_000_000,
  units: '10',
  unitsOverridden: false,
  minutesPerUnit: '6',
  rate: { amount: '100.01', currency: 'GBP' },
  rateSource: 'Request',
  total: '100.01',
  title: 'Drafting',
  isBillable: true,
};
const created: WorkItemEvent = {
  type: 'WorkItemCreated',
  data: { ...fields, externalReference: null, referenceOwner: null },
};
const moved = (day: string, amount: string, units: string): Movement => ({
  matterId: fields.matterId!,
  employeeId: fields.employeeId,
  taskTypeId: null,
  currency: 'GBP',
  day,
  amount,
  units,
});
const finalised: WorkItemEvent = {
  type: 'WorkItemFinalised',
  data: { movement: moved('2025-06-12', '100.01', '10') },
};
const off = (state: WorkItemState, part: { units?: string; amount?: string }) =>
  writeOff(WorkItem, state, {
    day: '2025-07-01',
    reason: 'goodwill',
    units: part.units ?? null,
    amount: part.amount ?? null,
  });
const writtenOff = (amount: string, units: string): WorkItemEvent => ({
  type: 'WorkItemWrittenOff',
  data: {
    day: '2025-07-01',
    reason: 'goodwill',
    amount,
    units,
    movement: moved('2025-07-01', amount, units),
  },
});

const linksAfter = (events: DomainEvent[]) => WorkItem.links(given(WorkItem, events).state!);

describe('a work item', () => {
  it('is finalised once, with a movement on its entry day', () => {
    given(WorkItem, [created])
      .when((state) => finalise(WorkItem, state))
      .thenEvents([finalised]);
    given(WorkItem, [created, finalised])
      .when((state) => finalise(WorkItem, state))
      .thenEvents([]);
    given(WorkItem, [created, finalised, writtenOff('100.01', '10')])
      .when((state) => finalise(WorkItem, state))
      .thenRefused('not_pending');
  });

  it('goes back to pending, but not after a write-off', () => {
    given(WorkItem, [created, finalised])
      .when((state) => unfinalise(WorkItem, state))
      .thenEvents([{ type: 'WorkItemUnfinalised', data: { movement: moved('2025-06-12', '100.01', '10') } }]);
    given(WorkItem, [created, finalised, writtenOff('10', '0.9999')])
      .when((state) => unfinalise(WorkItem, state))
      .thenRefused('partly_written_off');
  });

  it('is deleted only while pending', () => {
    given(WorkItem, [created])
      .when((state) => remove(WorkItem, state))
      .thenEvents([{ type: 'WorkItemDeleted', data: {} }]);
    given(WorkItem, [created, finalised])
      .when((state) => remove(WorkItem, state))
      .thenRefused('finalised');
  });

  it('is written off whole: nothing remains', () => {
    given(WorkItem, [created, finalised])
      .when((state) => off(state, {}))
      .thenEvents([writtenOff('100.01', '10')]);
    expect(given(WorkItem, [created, finalised, writtenOff('100.01', '10')]).state).toMatchObject({
      state: 3,
      remaining: '0',
      remainingUnits: '0',
    });
  });

  it('is written off in parts: units pro rata to 4 places, the last part takes the rest', () => {
    const first = given(WorkItem, [created, finalised]);
    first.when((state) => off(state, { amount: '33.33' })).thenEvents([writtenOff('33.33', '3.3327')]);
    const second = given(WorkItem, [created, finalised, writtenOff('33.33', '3.3327')]);
    expect(second.state).toMatchObject({ state: 1, remaining: '66.68', remainingUnits: '6.6673' });
    second.when((state) => off(state, { units: '1' })).thenEvents([writtenOff('10', '1')]);
    second.when((state) => off(state, {})).thenEvents([writtenOff('66.68', '6.6673')]);
  });

  it('is not written off while some of the amount or some of the units remain', () => {
    for (const rounded of [writtenOff('100', '10'), writtenOff('100.01', '9.9999')])
      expect(given(WorkItem, [created, finalised, rounded]).state).toMatchObject({ state: 1 });
  });

  it('cannot be written off by more than remains, by units and amount at once, or before it is finalised', () => {
    const item = given(WorkItem, [created, finalised]);
    item.when((state) => off(state, { amount: '100.02' })).thenRefused('more_than_remains');
    item.when((state) => off(state, { units: '10.0001' })).thenRefused('more_than_remains');
    item.when((state) => off(state, { amount: '1.001' })).thenRefused('too_precise');
    item.when((state) => off(state, { amount: '1', units: '1' })).thenRefused('units_or_amount');
    given(WorkItem, [created])
      .when((state) => off(state, {}))
      .thenRefused('not_finalised');
  });

  it('is reinstated with all that was written off', () => {
    const part = given(WorkItem, [created, finalised, writtenOff('33.33', '3.3327'), writtenOff('10', '1')]);
    part
      .when((state) => reinstate(WorkItem, state, '2025-08-01'))
      .thenEvents([
        {
          type: 'WorkItemReinstated',
          data: {
            day: '2025-08-01',
            amount: '43.33',
            units: '4.3327',
            movement: moved('2025-08-01', '43.33', '4.3327'),
          },
        },
      ]);
    given(WorkItem, [created, finalised])
      .when((state) => reinstate(WorkItem, state, '2025-08-01'))
      .thenRefused('not_written_off');
  });

  it('links to its matter as unbilled work until nothing remains', () => {
    expect(linksAfter([created, finalised])).toContainEqual({
      kind: 'unbilled_work',
      target: fields.matterId,
    });
    expect(linksAfter([created, finalised, writtenOff('100.01', '10')])).toContainEqual({
      kind: 'work',
      target: fields.matterId,
    });
    expect(isUnbilled(WorkItem, { ...given(WorkItem, [created]).state!, isBillable: false })).toBe(false);
  });
});

describe('the value of a work item', () => {
  const basis = {
    itemType: 0 as const,
    durationTicks: 36_000_000_000,
    units: null,
    minutesPerUnit: '6',
    rounding: 'Up' as const,
    rate: { amount: '250', currency: 'GBP' },
  };

  it.each([
    [1, 'Up', '1'],
    [3_600_000_001, 'Up', '2'],
    [5_399_999_999, 'Nearest', '1'],
    [5_400_000_000, 'Nearest', '2'],
    [7_199_999_999, 'Down', '1'],
    [1, 'Down', '1'],
    [0, 'Up', '0'],
  ] as const)('counts %d ticks, rounding %s, as %s units', (durationTicks, rounding, units) => {
    expect(priceWorkItem({ ...basis, durationTicks, rounding }).units).toBe(units);
  });

  it('is hours × rate for time, units × rate otherwise, half-up to the minor unit', () => {
    expect(priceWorkItem(basis).total).toBe('250');
    expect(priceWorkItem({ ...basis, units: '1', rate: { amount: '0.05', currency: 'GBP' } }).total).toBe(
      '0.01',
    );
    expect(
      priceWorkItem({ ...basis, units: '1', rate: { amount: '0.0499999999', currency: 'GBP' } }).total,
    ).toBe('0');
    expect(priceWorkItem({ ...basis, itemType: 1, durationTicks: 0 }).total).toBe('250');
    expect(priceWorkItem({ ...basis, itemType: 1, units: '2.5' }).total).toBe('625');
  });

  it.each<[string, object, string | null, string | null]>([
    ['may be as much as an invoice line can charge', { units: '9999999', rate: '99999' }, null, null],
    ['may be a fixed fee', { durationTicks: 0, itemType: 1, rate: '999999999' }, null, null],
    [
      'is refused when it is more than an invoice line can charge',
      { units: '9999999', rate: '99999', itemType: 1 },
      'total_too_large',
      'units',
    ],
    [
      'may come from as many units as an invoice line can have',
      { durationTicks: 599_999_940_000, minutesPerUnit: '0.0001' },
      ...([null, null] as const),
    ],
    [
      'is refused with a rate that is too large, even for no time',
      { durationTicks: 0, rate: '999999999.01' },
      ...(['rate_too_large', 'rate'] as const),
    ],
    [
      'is refused with more units than an invoice line can have',
      { durationTicks: 599_999_940_001, minutesPerUnit: '0.0001' },
      ...(['units_too_large', 'durationTicks'] as const),
    ],
  ])('%s', (_, { rate = '1', ...more }: { rate?: string }, code, field) => {
    const value = priceWorkItem({ ...basis, ...more, rate: { amount: rate, currency: 'GBP' } });
    const refused = expect(() => requireChargeable(value));
    if (code === null) refused.not.toThrow();
    else
      refused.toThrow(
        expect.objectContaining({
          fault: 'invalid',
          code,
          errors: [expect.objectContaining({ pointer: `/${field}` })],
        }),
      );
  });

  it('is rounded half-up also when a unit is not a tenth of an hour', () => {
    const item = { ...basis, minutesPerUnit: '10', units: '11', rate: { amount: '299.85', currency: 'GBP' } };
    expect(priceWorkItem(item).total).toBe('549.73');
  });

  it('is rounded half-up for units of any length', () => {
    const draw = fc.record({
      minutes: fc.constantFrom(1, 5, 6, 7, 10, 15),
      units: fc.nat(500),
      // Rates in steps of three pence: with them many values end in half a penny.
      rate: fc.nat(20_000).map((thirds) => thirds * 3),
    });
    fc.assert(
      fc.property(draw, ({ minutes, units, rate }) => {
        const amount = String(rate / 100);
        const item = { ...basis, minutesPerUnit: String(minutes), units: String(units) };
        const pence = Math.floor((units * minutes * rate + 30) / 60);
        expect(Number(priceWorkItem({ ...item, rate: { amount, currency: 'GBP' } }).total)).toBe(pence / 100);
      }),
    );
  });
});
