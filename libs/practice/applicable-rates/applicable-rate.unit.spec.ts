import type { Folded } from '#event-store/events';
import {
  ApplicableRate,
  type ApplicableRateState,
  isInForce,
  requireNoOverlap,
  requireSound,
} from './applicable-rate';

const id = (kind: string, number: number) => `${kind}_${String(number).padStart(32, '0')}`;
const state = (fields: Partial<ApplicableRateState> = {}): ApplicableRateState => ({
  scope: 'Matter',
  scopeId: id('matter', 1),
  rate: { amount: '200', currency: 'GBP' },
  per: 'Hour',
  employeeId: null,
  billingGrade: null,
  taskTypeId: null,
  effectiveFrom: '2025-02-01',
  effectiveTo: '2025-03-31',
  isDeleted: false,
  externalReference: null,
  referenceOwner: null,
  ...fields,
});
let made = 0;
const rate = (fields: Partial<ApplicableRateState> = {}) =>
  ({ id: id('applicablerate', ++made), version: 1, data: state(fields) }) as Folded<ApplicableRateState>;
const refused = (code: string) => expect.objectContaining({ code });

describe('an applicable rate', () => {
  it('is in force from its first to its last day', () => {
    const on = (day: string) => isInForce(state(), day);
    expect(['2025-01-31', '2025-02-01', '2025-03-31', '2025-04-01'].map(on)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(isInForce(state({ effectiveTo: null }), '2099-01-01')).toBe(true);
  });

  it.each([
    ['both have the same days', {}],
    ['the other begins on its last day', { effectiveFrom: '2025-03-31', effectiveTo: null }],
    ['the other ends on its first day', { effectiveFrom: '2024-01-01', effectiveTo: '2025-02-01' }],
    ['the other covers all its days', { effectiveFrom: '2024-01-01', effectiveTo: null }],
    ['the other lies within its days', { effectiveFrom: '2025-02-10', effectiveTo: '2025-02-11' }],
  ])('is refused beside another rate with the same keys when %s', (_, days) => {
    const [one, other] = [rate(), rate(days)];
    expect(() => requireNoOverlap(one, [other])).toThrow(refused('applicable_rate_overlap'));
    expect(() => requireNoOverlap(other, [one])).toThrow(
      new RegExp(`${one.id} .* from 2025-02-01 to 2025-03-31`),
    );
  });

  it.each([
    ['the days before', { effectiveFrom: '2025-01-01', effectiveTo: '2025-01-31' }],
    ['the days after', { effectiveFrom: '2025-04-01', effectiveTo: null }],
    ['a unit', { per: 'Unit' as const }],
    ['an employee', { employeeId: id('employee', 1) }],
    ['a grade', { billingGrade: 'A' }],
    ['a task type', { taskTypeId: id('tasktype', 1) }],
    ['another matter', { scopeId: id('matter', 2) }],
  ])('is accepted beside a rate for %s', (_, fields) => {
    requireNoOverlap(rate(), [rate(fields)]);
    requireNoOverlap(rate(fields), [rate()]);
  });

  it('does not overlap itself', () => {
    const one = rate();
    requireNoOverlap({ ...one, data: state({ effectiveTo: null }) }, [one]);
  });

  it('cannot be moved to another scope, nor end before it begins', () => {
    requireSound(state({ effectiveTo: '2025-02-01' }), state());
    const ended = () => requireSound(state({ effectiveTo: '2025-01-31' }), undefined);
    expect(ended).toThrow(refused('days_reversed'));
    const moved = () => requireSound(state({ scopeId: id('matter', 2) }), state());
    expect(moved).toThrow(refused('scope_fixed'));
  });

  it('links to its scope under a kind that names its employee, so that only the rates for that employee are loaded', () => {
    const links = (fields: object) => ApplicableRate.links(state(fields)).map(({ kind }) => kind);
    expect(links({})).toEqual(['applicable_rate']);
    const employeeId = id('employee', 1);
    expect(links({ employeeId })).toEqual([`applicable_rate ${employeeId}`, 'applicable_rate_for']);
    expect(links({ isDeleted: true })).toEqual([]);
  });
});
