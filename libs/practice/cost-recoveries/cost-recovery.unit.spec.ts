import type { DomainEvent } from '#kernel/decider';
import type { DomainError } from '#kernel/errors';
import { RecordsDisagree } from '#kernel/errors';
import { given } from '#kernel/testing/given';
import { isUnbilled, requireChangeable } from '../billable/billable';
import { bill, release, reserve, reverseBilling } from '../billable/billable.billing';
import { finalise, reinstate, remove, unfinalise } from '../billable/billable.transitions';
import { writeOff } from '../billable/billable.write-off';
import {
  CostRecovery,
  type CostRecoveryState,
  requireSuitableCode,
  requireSupplier,
  totalOf,
} from './cost-recovery';
import type { CostRecoveryEvent, CostRecoveryFields } from './cost-recovery.events';

const fields: CostRecoveryFields = {
  matterId: 'matter_00000000000000000000000000000001',
  disbursementCodeId: 'disbursementcode_00000000000000000000000000000002',
  kind: 'Incurred',
  entryDate: '2025-06-12T10:00:00.000Z',
  entryDay: '2025-06-12',
  quantity: '3',
  unitAmount: { amount: '10.01', currency: 'GBP' },
  total: '30.03',
  taxCodeId: 'taxcode_00000000000000000000000000000003',
  supplierId: 'supplier_00000000000000000000000000000004',
  description: 'Copy of the register',
};
const invoiceId = 'invoice_00000000000000000000000000000005';
const created: CostRecoveryEvent = {
  type: 'CostRecoveryCreated',
  data: { ...fields, externalReference: null, referenceOwner: null },
};
const updated = (data: Partial<CostRecoveryFields>): CostRecoveryEvent => ({
  type: 'CostRecoveryUpdated',
  data,
});
const finalised: CostRecoveryEvent = { type: 'CostRecoveryFinalised', data: { movement: null } };
const reserved: CostRecoveryEvent = { type: 'CostRecoveryReserved', data: { invoiceId } };
const part = { day: '2025-07-01', amount: '10.01', units: '1', movement: null };
const writtenOff: CostRecoveryEvent = {
  type: 'CostRecoveryWrittenOff',
  data: { reason: 'goodwill', ...part },
};
const billed = (state: CostRecoveryState, amount = '30.03', units = '3') =>
  bill(CostRecovery, state, invoiceId, '2025-06-30', { amount, units });

const stateAfter = (...events: DomainEvent[]) => given(CostRecovery, events).state!;
const linkToMatter = (state: CostRecoveryState) =>
  CostRecovery.links(state).find(({ target }) => target === fields.matterId)?.kind;

describe('a cost', () => {
  it('has no movement in fee analysis, whatever happens to it', () => {
    given(CostRecovery, [created])
      .when((state) => finalise(CostRecovery, state))
      .thenEvents([finalised]);
    given(CostRecovery, [created, finalised])
      .when((state) => unfinalise(CostRecovery, state))
      .thenEvents([{ type: 'CostRecoveryUnfinalised', data: { movement: null } }]);
    const off = { day: '2025-07-01', reason: 'goodwill', units: '1', amount: null };
    given(CostRecovery, [created, finalised])
      .when((state) => writeOff(CostRecovery, state, off))
      .thenEvents([writtenOff]);
    given(CostRecovery, [created, finalised, writtenOff])
      .when((state) => reinstate(CostRecovery, state, '2025-07-01'))
      .thenEvents([{ type: 'CostRecoveryReinstated', data: part }]);
    const [charged] = billed(stateAfter(created, finalised, reserved));
    expect(charged.data).toMatchObject({ dimensions: null });
    const [back] = reverseBilling(
      CostRecovery,
      stateAfter(created, finalised, reserved, charged),
      invoiceId,
      '2025-07-02',
      false,
    );
    expect(back.data).toMatchObject({ dimensions: null });
  });

  it('has its new quantity and total remaining when they change', () => {
    expect(stateAfter(created)).toMatchObject({ state: 0, remaining: '30.03', remainingUnits: '3' });
    expect(stateAfter(created, updated({ quantity: '2', total: '20.02' }))).toMatchObject({
      remaining: '20.02',
      remainingUnits: '2',
    });
    // With a unit amount of 0 the total stays 0 for any quantity.
    const free = [created, updated({ unitAmount: { amount: '0', currency: 'GBP' }, total: '0' })];
    expect(stateAfter(...free, updated({ quantity: '4' }))).toMatchObject({
      remaining: '0',
      remainingUnits: '4',
    });
    expect(stateAfter(created, finalised, writtenOff, updated({ description: 'New' }))).toMatchObject({
      remaining: '20.02',
      remainingUnits: '2',
      description: 'New',
    });
  });

  it('throws RecordsDisagree when the invoice at hand does not hold it, as the two were read at different moments', () => {
    const free = stateAfter(created, finalised);
    expect(() => release(CostRecovery, free, invoiceId)).toThrow(RecordsDisagree);
    expect(() => billed(free)).toThrow(RecordsDisagree);
    const held = stateAfter(created, finalised, reserved);
    expect(() => reverseBilling(CostRecovery, held, invoiceId, '2025-07-02', false)).toThrow(RecordsDisagree);
  });

  it('is deleted only while pending', () => {
    given(CostRecovery, [created])
      .when((state) => remove(CostRecovery, state))
      .thenEvents([{ type: 'CostRecoveryDeleted', data: {} }]);
    given(CostRecovery, [created, finalised])
      .when((state) => remove(CostRecovery, state))
      .thenRefused('finalised');
  });

  it('can be changed only while pending, and its description until an invoice holds it', () => {
    const onDraft = [created, finalised, reserved];
    const change = (events: CostRecoveryEvent[], names: string[]) =>
      given(CostRecovery, events).when((state) => {
        requireChangeable(CostRecovery, state, names, 'description');
        return [];
      });
    change([created], ['quantity', 'description']).thenEvents([]);
    change([created, finalised], ['description']).thenEvents([]);
    change([created, finalised], ['description', 'quantity']).thenRefused('finalised');
    change(onDraft, ['description']).thenRefused('reserved');
    change(onDraft, ['quantity']).thenRefused('reserved');
    const charged = [...onDraft, ...billed(stateAfter(...onDraft))] as CostRecoveryEvent[];
    change(charged, ['description']).thenRefused('finalised');
    change(charged, []).thenEvents([]);
  });

  it('cannot be unfinalised while a draft invoice holds it, and is whole again when its billing is reversed', () => {
    const onDraft = given(CostRecovery, [created, finalised, reserved]);
    onDraft.when((state) => unfinalise(CostRecovery, state)).thenRefused('reserved');
    onDraft
      .when((state) => release(CostRecovery, state, invoiceId))
      .thenEvents([{ type: 'CostRecoveryReleased', data: { invoiceId } }]);
    const charged = billed(onDraft.state!, '20', '1.998');
    const events = [created, finalised, reserved, ...charged];
    expect(stateAfter(...events)).toMatchObject({ state: 2, invoiceId, remaining: '0', remainingUnits: '0' });
    const back = reverseBilling(CostRecovery, stateAfter(...events), invoiceId, '2025-07-02', false);
    expect(stateAfter(...events, ...back)).toMatchObject({
      state: 1,
      invoiceId: null,
      remaining: '30.03',
      remainingUnits: '3',
    });
    given(CostRecovery, [created])
      .when((state) => reserve(CostRecovery, state, invoiceId))
      .thenRefused('not_finalised');
  });
});

describe('the links of a cost', () => {
  it('keep its matter open until it is billed or written off, and never when it is only anticipated', () => {
    expect(linkToMatter(stateAfter(created))).toBe('unbilled_cost');
    expect(linkToMatter(stateAfter(created, finalised, writtenOff))).toBe('unbilled_cost');
    const whole = { ...part, reason: 'goodwill', amount: '30.03', units: '3' };
    const gone = { type: 'CostRecoveryWrittenOff', data: whole };
    expect(linkToMatter(stateAfter(created, finalised, gone))).toBe('work');
    const onDraft = stateAfter(created, finalised, reserved);
    expect(linkToMatter(onDraft)).toBe('unbilled_cost');
    expect(linkToMatter(stateAfter(created, finalised, reserved, ...billed(onDraft)))).toBe('work');
    const expected = stateAfter(created, updated({ kind: 'Anticipated' }));
    expect(linkToMatter(expected)).toBe('work');
    expect([CostRecovery.isBillable(expected), isUnbilled(CostRecovery, expected)]).toEqual([false, false]);
    expect(linkToMatter(stateAfter(created, updated({ kind: 'CostRecovery' })))).toBe('unbilled_cost');
  });

  it('lead to its code, its tax code and its supplier until it is deleted', () => {
    const targets = (state: CostRecoveryState) => CostRecovery.links(state).map(({ target }) => target);
    const { matterId, disbursementCodeId, taxCodeId, supplierId } = fields;
    expect(targets(stateAfter(created))).toEqual([matterId, disbursementCodeId, taxCodeId, supplierId]);
    const own = stateAfter(created, updated({ kind: 'CostRecovery', supplierId: null }));
    expect(targets(own)).toEqual([matterId, disbursementCodeId, taxCodeId]);
    expect(targets(stateAfter(created, { type: 'CostRecoveryDeleted', data: {} }))).toEqual([]);
  });
});

describe('the rules for a cost', () => {
  const codeOf = (check: () => unknown) => {
    try {
      check();
      return null;
    } catch (error) {
      return (error as DomainError).code;
    }
  };

  it.each([
    ['3', '10.01', 'GBP', '30.03'],
    ['1.5', '0.25', 'GBP', '0.38'],
    ['0.1', '0.05', 'GBP', '0.01'],
    ['1', '0.0049', 'GBP', '0'],
    ['0', '12.5', 'GBP', '0'],
    ['1.5', '333', 'JPY', '500'],
    ['1', '99999999999', 'GBP', '99999999999'],
  ])('make %s × %s %s a total of %s', (quantity, amount, currency, total) => {
    expect(totalOf(quantity, { amount, currency })).toBe(total);
  });

  it('refuse a total too large for a JSON number to show to the penny', () => {
    expect(codeOf(() => totalOf('1.0001', { amount: '99999999999', currency: 'GBP' }))).toBe(
      'total_too_large',
    );
  });

  it('refuse another kind than that of its disbursement code, where the code has one', () => {
    expect(codeOf(() => requireSuitableCode('Incurred', null))).toBeNull();
    expect(codeOf(() => requireSuitableCode('Incurred', 'Incurred'))).toBeNull();
    expect(codeOf(() => requireSuitableCode('Anticipated', 'Incurred'))).toBe('disbursement_kind_mismatch');
  });

  it('refuse an incurred cost without a supplier', () => {
    expect(codeOf(() => requireSupplier('Incurred', null))).toBe('supplier_required');
    expect(codeOf(() => requireSupplier('Incurred', fields.supplierId))).toBeNull();
    expect(codeOf(() => requireSupplier('Anticipated', null))).toBeNull();
    expect(codeOf(() => requireSupplier('CostRecovery', null))).toBeNull();
  });
});
