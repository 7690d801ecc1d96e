import type { DomainError } from '#kernel/errors';
import {
  nameOfKeys,
  RateSet,
  type RateSetState,
  refuseDefault,
  requireDays,
  requireDistinct,
  requireStillDefault,
  uplift,
} from './rate-set';
import type { RateEntry } from './rate-set.events';

const employeeId = 'employee_00000000000000000000000000000001';
const taskTypeId = 'tasktype_00000000000000000000000000000002';
const hour = (rate: string, keys: Partial<RateEntry> = {}): RateEntry => ({ rate, per: 'Hour', ...keys });
const set = (fields: Partial<RateSetState> = {}): RateSetState => ({
  name: 'Standard',
  currency: 'GBP',
  isDefault: false,
  from: null,
  to: null,
  entries: [],
  isDeleted: false,
  externalReference: null,
  referenceOwner: null,
  ...fields,
});
const refusal = (decide: () => void): DomainError => {
  try {
    decide();
  } catch (error) {
    return error as DomainError;
  }
  throw new Error('Not refused');
};

describe('a rate set', () => {
  it('cannot have two entries for the same work', () => {
    const entries = [hour('1', { employeeId }), hour('2', { employeeId, taskTypeId }), hour('3')];
    requireDistinct(entries);
    requireDistinct([...entries, { ...hour('4', { employeeId }), per: 'Unit' }]);
    const { code, errors } = refusal(() => requireDistinct([...entries, hour('9', { employeeId })]));
    expect(code).toBe('rate_entries_equal');
    expect(errors.map(({ pointer }) => pointer)).toEqual(['/entries/0', '/entries/3']);
  });

  it('tells entries apart by which keys they have, not by their rates', () => {
    expect(nameOfKeys(hour('1', { billingGrade: 'A' }))).not.toBe(nameOfKeys(hour('1', { jobTitle: 'A' })));
    expect(nameOfKeys(hour('1', { billingGrade: 'A' }))).toBe(nameOfKeys(hour('2', { billingGrade: 'A' })));
  });

  it('may have a first and a last day, but not in reverse order', () => {
    requireDays(null, '2025-01-01');
    requireDays('2025-01-01', '2025-01-01');
    expect(refusal(() => requireDays('2025-01-02', '2025-01-01')).code).toBe('days_reversed');
  });

  it('cannot stop being the default by an update, and cannot be deleted while it is the default', () => {
    requireStillDefault(set(), true);
    requireStillDefault(set({ isDefault: true }), true);
    expect(refusal(() => requireStillDefault(set({ isDefault: true }), false)).code).toBe('default_rate_set');
    refuseDefault(set());
    expect(refusal(() => refuseDefault(set({ isDefault: true }))).code).toBe('default_rate_set');
  });

  it('is raised or lowered by a percentage, and its rates are rounded half-up to the minor unit', () => {
    const rates = (percent: number, currency: string, ...given: string[]) =>
      uplift(
        given.map((rate) => hour(rate, { employeeId })),
        percent,
        currency,
      ).map(({ rate }) => rate);
    expect(rates(5, 'GBP', '100', '0.1', '33.3333')).toEqual(['105', '0.11', '35']);
    expect(rates(-12.5, 'GBP', '100', '0')).toEqual(['87.5', '0']);
    expect(rates(-100, 'GBP', '100')).toEqual(['0']);
    expect(rates(2.5, 'JPY', '1001')).toEqual(['1026']);
    expect(uplift([hour('1', { employeeId })], 0, 'GBP')).toEqual([hour('1', { employeeId })]);
    expect(rates(100, 'GBP', '499999999.5')).toEqual(['999999999']);
    const refused = expect.objectContaining({
      fault: 'invalid',
      code: 'rate_too_large',
      errors: [expect.objectContaining({ pointer: '/percent' })],
    });
    expect(() => rates(1, 'GBP', '1', '999999999')).toThrow(refused);
  });

  it('links once to each record that its entries name, until it is deleted', () => {
    const entries = [hour('1', { employeeId }), hour('2', { employeeId, taskTypeId })];
    expect(RateSet.links(set({ entries }))).toEqual([
      { kind: 'rateset_employee', target: employeeId },
      { kind: 'rateset_tasktype', target: taskTypeId },
    ]);
    expect(RateSet.keys(set({ isDefault: true }))).toEqual([{ kind: 'default_rate_set', key: '' }]);
    const deleted = set({ entries, isDefault: true, isDeleted: true });
    expect([...RateSet.links(deleted), ...RateSet.keys(deleted)]).toEqual([]);
  });
});
