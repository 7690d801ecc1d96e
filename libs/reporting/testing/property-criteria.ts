import * as fc from 'fast-check';
import type { NaiveReport } from './naive-columns';
import type { Sent } from './naive-criteria';
import { naivePeriods } from './naive-periods';
import type { NaiveRow } from './naive-values';
import { someDay } from './property-draws';

const maybe = <Value>(value: fc.Arbitrary<Value>, freq: number) =>
  fc.oneof({ weight: freq, arbitrary: fc.constantFrom(null, undefined) }, { weight: 1, arbitrary: value });

/**
 * Whole years and months, of the calendar and of the tax year, and periods with other edges; sometimes open on one
 * side.
 */
const fixedPeriod = fc.oneof(
  fc
    .tuple(fc.integer({ min: 2023, max: 2026 }), fc.constantFrom(0, 3, 6), fc.constantFrom(1, 3, 12, 24))
    .map(([year, month, length]) => ({
      min: new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10),
      max: new Date(Date.UTC(year, month + length, 0)).toISOString().slice(0, 10),
    })),
  fc
    .tuple(someDay, someDay)
    .map((days) => days.sort())
    .map(([min, max]) => ({ min, max })),
  someDay.map((day) => ({ min: day, max: day })),
  fc.tuple(someDay, fc.boolean()).map(([day, from]) => (from ? { min: day, max: null } : { max: day })),
  fc.constantFrom({ min: null, max: null }, { min: '0001-01-01', max: '9999-12-31' }),
);

const relativePeriod = fc.constantFrom(...Object.keys(naivePeriods));

const types = fc.subarray(['Timed Fee', 'ITEMISED_FEE']);
const states = fc.shuffledSubarray(['Pending', 'Finalised', 'billed', 'Written Off']);

/** Criteria of a report, a third of them usual ones. @param rows rows whose ids the criteria use */
export function someCriteria(report: NaiveReport, rows: readonly NaiveRow[]): fc.Arbitrary<Sent> {
  const id = (kind: string, column: string) =>
    fc.nat(rows.length - 1).map((index) => `${kind}_${rows[index][column] ?? 'f'.repeat(32)}`);
  const ids = (kind: string, column: string) => maybe(fc.array(id(kind, column), { maxLength: 3 }), 9);
  const restricted =
    report.name === 'fee_analysis'
      ? fc.record({
          period: maybe(fixedPeriod, 1),
          relativePeriod: maybe(relativePeriod, 1),
          periodRelativeTo: maybe(someDay, 2),
          feeEarnerId: maybe(id('employee', 'feeEarnerId'), 9),
          matterId: maybe(id('matter', 'matterId'), 9),
          clientId: maybe(id('client', 'clientId'), 9),
          divisionId: maybe(id('division', 'divisionId'), 9),
        })
      : fc.record({
          entryPeriod: maybe(
            fc.record({ fixedPeriod: maybe(fixedPeriod, 1), relativePeriod: maybe(relativePeriod, 1) }),
            1,
          ),
          includeDeleted: fc.constantFrom(null, false, true, undefined),
          noMatter: fc.constantFrom(null, false, undefined, false, null, true),
          workItemTypes: maybe(types, 3),
          states: maybe(states, 2),
          matterIds: ids('matter', 'matterId'),
          clientIds: ids('client', 'clientId'),
          employeeIds: ids('employee', 'employeeId'),
          divisionIds: ids('division', 'divisionId'),
        });
  return fc.oneof({ weight: 1, arbitrary: usualCriteria(report) }, { weight: 2, arbitrary: restricted });
}

/** Usual criteria: the default, a period, states and types. */
export function usualCriteria({ name }: NaiveReport): fc.Arbitrary<Sent> {
  const fee = name === 'fee_analysis';
  const fixed = fixedPeriod.map((period) => (fee ? { period } : { entryPeriod: { fixedPeriod: period } }));
  const relative = relativePeriod.map((relativePeriod) =>
    fee ? { relativePeriod } : { entryPeriod: { relativePeriod } },
  );
  const kinds = fc.record({ workItemTypes: types, states });
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(null, undefined, {}) },
    { weight: 3, arbitrary: fixed },
    { weight: 1, arbitrary: relative },
    ...(fee
      ? []
      : [
          { weight: 1, arbitrary: kinds },
          { weight: 1, arbitrary: fc.tuple(fixed, kinds).map(([one, other]) => ({ ...one, ...other })) },
        ]),
  );
}
