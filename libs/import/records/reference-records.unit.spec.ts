import { DomainError } from '#kernel/errors';
import { groundFor, rowOf } from '../testing/ground';
import type { Ground, Maker } from './imported-record';
import { applicableRates, rateSets } from './rate-records';
import { disbursementCodes, divisions, matterTypes, roles, taskTypes, taxCodes } from './reference-records';

const none = { externalReference: null, referenceOwner: null };

function eventsOf<Wanted extends object>(
  maker: Maker<Wanted>,
  columns: Record<string, unknown>,
  ground: Ground = groundFor(),
) {
  return maker.create(maker.wanted(rowOf(maker.table, { ImportId: '1', ...columns }), ground), ground);
}

describe('reference rows become', () => {
  const { ids } = groundFor();

  it('divisions, of which the tenant counts the active ones', () => {
    const ground = groundFor();
    const { events, counters } = eventsOf(divisions, { Code: 'LIT', Name: 'Litigation' }, ground);
    const data = { code: 'LIT', name: 'Litigation', isDefault: false, ...none };
    expect(events).toEqual([{ type: 'DivisionCreated', data }]);
    expect(counters).toEqual({ active_divisions: 1 });
    expect(eventsOf(divisions, { Name: 'Property' }, ground).counters).toEqual({ active_divisions: 2 });
  });

  it('matter types below others', () => {
    const { events } = eventsOf(matterTypes, { Name: 'Trusts', ParentId: '2' });
    const parentId = ids.of('MatterType', '2');
    const data = { code: null, name: 'Trusts', parentId, divisionIds: [], retentionYears: null, ...none };
    expect(events).toEqual([{ type: 'MatterTypeCreated', data }]);
  });

  it('roles of the firm', () => {
    const { events } = eventsOf(roles, { Code: 'W', Name: 'Witness' });
    expect(events).toEqual([{ type: 'RoleCreated', data: { name: 'Witness', kind: 'Custom', ...none } }]);
  });

  it('task types', () => {
    const row = { Code: 'A1', Name: 'Advice', ItemType: 'Itemised', ActivityCode: 'A101', IsBillable: '0' };
    const { events } = eventsOf(taskTypes, row);
    const data = { code: 'A1', name: 'Advice', itemType: 1, phaseCode: null, taskCode: null };
    const more = { activityCode: 'A101', narration: null, isBillable: false, rate: null, ...none };
    expect(events).toEqual([{ type: 'TaskTypeCreated', data: { ...data, ...more } }]);
  });

  it('tax codes with their rates', () => {
    const row = { Code: 'T1', Name: 'Standard', Scheme: 'VAT', Category: 'Standard' };
    const rates = [
      { Percent: '17.5000', FromDate: '2008-12-01', ToDate: '2011-01-03' },
      { Percent: '20.0000', FromDate: '2011-01-04', ToDate: null },
    ];
    const { events } = eventsOf(taxCodes, { ...row, rates });
    const expected = [
      { percent: '17.5', from: '2008-12-01', to: '2011-01-03' },
      { percent: '20', from: '2011-01-04', to: null },
    ];
    const data = {
      code: 'T1',
      name: 'Standard',
      scheme: 'VAT',
      category: 'Standard',
      rates: expected,
      ...none,
    };
    expect(events).toEqual([{ type: 'TaxCodeCreated', data }]);
    expect(() => eventsOf(taxCodes, { ...row, rates: [...rates].reverse() })).toThrow(DomainError);
  });

  it('disbursement codes, with their unit amount in the base currency', () => {
    const { events } = eventsOf(disbursementCodes, {
      Code: 'S',
      Name: 'Search',
      Kind: 'Incurred',
      TaxCodeId: 'T1',
      UnitAmount: '3.5000',
    });
    const data = { code: 'S', name: 'Search', kind: 'Incurred', taxCodeId: ids.of('TaxCode', 'T1') };
    const more = { unitAmount: { amount: '3.5', currency: 'GBP' }, description: null, supplierId: null };
    expect(events).toEqual([
      { type: 'DisbursementCodeCreated', data: { ...data, ...more, expenseCode: null, ...none } },
    ]);
  });

  it('rate sets with their entries, which name only the keys that they have', () => {
    const entries = [
      { Rate: '210.0000000000', Per: 'Hour', EmployeeId: 'P1', BillingGrade: null, JobTitle: 'Partner' },
      { Rate: '80.5000000000', Per: 'Unit', TaskTypeId: 'A1' },
    ].map((entry) => rowOf('RateSetEntry', { ImportId: 'E', ...entry }));
    const { events } = eventsOf(rateSets, { Name: 'Rates', Currency: 'GBP', IsDefault: '1', entries });
    expect(events[0].data).toEqual({
      name: 'Rates',
      currency: 'GBP',
      isDefault: true,
      from: null,
      to: null,
      ...none,
      entries: [
        { rate: '210', per: 'Hour', employeeId: ids.of('Employee', 'P1'), jobTitle: 'Partner' },
        { rate: '80.5', per: 'Unit', taskTypeId: ids.of('TaskType', 'A1') },
      ],
    });
    const twice = [entries[1], entries[1]];
    const again = { Name: 'Rates', Currency: 'GBP', IsDefault: '0', entries: twice };
    expect(() => eventsOf(rateSets, again)).toThrow(DomainError);
  });

  it('rates that were agreed for a client or a matter', () => {
    const row = { Rate: '95.0000000000', Per: 'Hour', EffectiveFrom: '2026-01-01' };
    for (const Scope of ['Client', 'Matter'] as const) {
      const { events } = eventsOf(applicableRates, { ...row, Scope, ScopeId: '7' });
      const data = { scope: Scope, scopeId: ids.of(Scope, '7'), rate: { amount: '95', currency: 'GBP' } };
      const keys = { per: 'Hour', employeeId: null, billingGrade: null, taskTypeId: null };
      const days = { effectiveFrom: '2026-01-01', effectiveTo: null };
      expect(events).toEqual([
        { type: 'ApplicableRateCreated', data: { ...data, ...keys, ...days, ...none } },
      ]);
    }
    const reversed = { ...row, Scope: 'Client', ScopeId: '7', EffectiveTo: '2025-12-31' };
    expect(() => eventsOf(applicableRates, reversed)).toThrow(DomainError);
  });
});
