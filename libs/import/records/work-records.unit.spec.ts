import { DomainError } from '#kernel/errors';
import { finalise } from '#practice/billable/billable.transitions';
import { writeOff } from '#practice/billable/billable.write-off';
import { WorkItem } from '#practice/work-items/work-item';
import { groundFor, rowOf } from '../testing/ground';
import { KnownRecords } from './known-records';
import { costRecoveries, workItems } from './work-records';

const none = { externalReference: null, referenceOwner: null };
const { ids } = groundFor();

const timed = {
  ImportId: 'W1',
  MatterId: 'M1',
  EmployeeId: 'P1',
  ItemType: 'Timed',
  Rate: '210.0000000000',
  EntryDate: '2025-07-01T23:30:00.0000000',
  DurationTicks: '36000000000',
  RateCurrency: 'GBP',
  Title: 'Advice',
  State: 'Finalised',
  IsBillable: '1',
};

function item(columns: Record<string, unknown>, ground = groundFor()) {
  const wanted = workItems.wanted(rowOf('WorkItem', { ...timed, ...columns }), ground);
  const { events } = workItems.create(wanted, ground);
  return {
    events,
    types: events.map(({ type }) => type),
    state: events.reduce(WorkItem.evolve, undefined as never),
  };
}

describe('work items', () => {
  it('are what a command would have recorded, with the day in the zone of the firm', () => {
    const { events, state } = item({});
    expect(events[0]).toEqual({
      type: 'WorkItemCreated',
      data: {
        matterId: ids.of('Matter', 'M1'),
        employeeId: ids.of('Employee', 'P1'),
        taskTypeId: null,
        itemType: 0,
        entryDate: '2025-07-01T23:30:00.000Z',
        entryDay: '2025-07-02',
        durationTicks: 36_000_000_000,
        units: '10',
        unitsOverridden: false,
        minutesPerUnit: '6',
        rate: { amount: '210', currency: 'GBP' },
        rateSource: 'Request',
        total: '210',
        title: 'Advice',
        isBillable: true,
        ...none,
      },
    });
    const recorded = WorkItem.evolve(undefined, events[0]);
    expect(events.slice(1)).toEqual(finalise(WorkItem, recorded));
    expect(state).toMatchObject({ state: 1, remaining: '210', remainingUnits: '10' });
  });

  it('have overridden units when the row has other units than the duration gives', () => {
    expect(item({ Units: '10.0000' }).state).toMatchObject({ units: '10', unitsOverridden: false });
    expect(item({ Units: '7.5000' }).state).toMatchObject({
      units: '7.5',
      unitsOverridden: true,
      total: '157.5',
    });
    const fee = { ItemType: 'Itemised', DurationTicks: null, Rate: '80.0000000000' };
    expect(item(fee).state).toMatchObject({ units: '1', total: '80', itemType: 1, durationTicks: 0 });
    expect(item({ ...fee, Units: '3.0000' }).state).toMatchObject({ units: '3', total: '240' });
  });

  it('are not finalised while they are pending, and can be without a matter and not billable', () => {
    expect(item({ State: 'Pending' }).types).toEqual(['WorkItemCreated']);
    const { types, state } = item({ MatterId: null, IsBillable: '0' });
    expect(types).toEqual(['WorkItemCreated', 'WorkItemFinalised']);
    expect(state).toMatchObject({ matterId: null, isBillable: false, state: 1 });
  });

  it('are written off on the day that the row says', () => {
    const { events, state } = item({ State: 'WrittenOff', WriteOffDate: '2025-12-31' });
    const before = events.slice(0, 2).reduce(WorkItem.evolve, undefined as never);
    const request = { day: '2025-12-31', reason: 'Written off in Ledger', units: null, amount: null };
    expect(events[2]).toEqual(writeOff(WorkItem, before, request)[0]);
    expect(state).toMatchObject({ state: 3, remaining: '0', remainingUnits: '0' });
  });

  it('are written off on that day even if it is before their own: the figures stay those of the source', () => {
    const { state, events } = item({ State: 'WrittenOff', WriteOffDate: '2024-12-31' });
    expect(state).toMatchObject({ state: 3, remaining: '0' });
    expect(events[2].data).toMatchObject({ day: '2024-12-31', movement: { day: '2024-12-31' } });
  });

  it('take their title from their task type and their minutes per unit from their client', () => {
    const known = new KnownRecords();
    const clientId = ids.of('Client', 'C1');
    const terms = { taxCodeId: null, paymentTermsDays: null };
    known.taskType(ids.of('TaskType', 'A1'), { narration: 'Attending you' });
    known.client(clientId, { minutesPerUnit: '10', ...terms });
    known.matter(ids.of('Matter', 'M1'), { minutesPerUnit: null, taxCodeId: null, clientId });
    const ground = groundFor({ known });
    expect(item({ TaskTypeId: 'A1', Title: null }, ground).state).toMatchObject({
      title: 'Attending you',
      minutesPerUnit: '10',
      units: '6',
      total: '210',
    });
  });

  it('are held by a draft, or billed by an issued invoice at what it charges', () => {
    const ground = groundFor();
    const row = rowOf('WorkItem', timed);
    const invoiceId = ids.of('Invoice', 'I1');
    const charged = { amount: '200', units: '9.5238' };
    const draft = workItems.create(
      { ...workItems.wanted(row, ground), charge: { invoiceId, day: null, charged } },
      ground,
    );
    const state = draft.events.reduce(WorkItem.evolve, undefined as never);
    expect(state).toMatchObject({ state: 1, invoiceId, remaining: '210', settlement: null });
    const billed = { invoiceId, day: '2025-08-01', charged };
    const { events } = workItems.create(
      { ...workItems.wanted({ ...row, State: 'Billed' }, ground), charge: billed },
      ground,
    );
    expect(events.map(({ type }) => type.slice('WorkItem'.length))).toEqual([
      'Created',
      'Finalised',
      'Reserved',
      'Billed',
    ]);
    expect(events.reduce(WorkItem.evolve, undefined as never)).toMatchObject({
      state: 2,
      invoiceId,
      remaining: '0',
      settlement: { day: '2025-08-01', billed: charged, writtenOff: { amount: '10', units: '0.4762' } },
    });
  });

  it('are refused where validation should have seen a contradiction', () => {
    expect(() => item({ State: 'Billed' })).toThrow('no invoice charges it');
    const ground = groundFor();
    const charge = { invoiceId: ids.of('Invoice', 'I1'), day: null, charged: { amount: '1', units: '1' } };
    const gone = rowOf('WorkItem', { ...timed, State: 'WrittenOff', WriteOffDate: '2025-12-31' });
    for (const row of [gone, rowOf('WorkItem', { ...timed, State: 'Pending' })])
      expect(() => workItems.create({ ...workItems.wanted(row, ground), charge }, ground)).toThrow(
        'Finalised',
      );
    const issued = { ...charge, day: '2025-08-01' };
    const open = { ...workItems.wanted(rowOf('WorkItem', timed), ground), charge: issued };
    expect(() => workItems.create(open, ground)).toThrow('Billed');
  });
});

describe('costs', () => {
  const row = {
    ImportId: 'K1',
    MatterId: 'M1',
    DisbursementCodeId: 'S',
    Kind: 'Incurred',
    SupplierId: 'V1',
    EntryDate: '2025-07-01T10:00:00.0000000',
    Quantity: '3.0000',
    UnitAmount: '2.3350',
  };
  const known = new KnownRecords();
  const taxCodeId = ids.of('TaxCode', 'T1');
  known.costCode(ids.of('DisbursementCode', 'S'), {
    kind: 'Incurred',
    taxCodeId,
    name: 'Search',
    description: null,
  });
  const ground = groundFor({ known });
  const cost = (columns: Record<string, unknown>) => {
    const { events } = costRecoveries.create(
      costRecoveries.wanted(rowOf('CostRecovery', { ...row, ...columns }), ground),
      ground,
    );
    return events.reduce(costRecoveries.definition.evolve, undefined);
  };

  it('take their tax code and their description from their disbursement code', () => {
    expect(cost({ State: 'Finalised' })).toEqual({
      matterId: ids.of('Matter', 'M1'),
      disbursementCodeId: ids.of('DisbursementCode', 'S'),
      kind: 'Incurred',
      entryDate: '2025-07-01T10:00:00.000Z',
      entryDay: '2025-07-01',
      quantity: '3',
      unitAmount: { amount: '2.335', currency: 'GBP' },
      total: '7.01',
      taxCodeId,
      description: 'Search',
      supplierId: ids.of('Supplier', 'V1'),
      state: 1,
      invoiceId: null,
      settlement: null,
      remaining: '7.01',
      remainingUnits: '3',
      isDeleted: false,
      ...none,
    });
  });

  it('can be pending or written off', () => {
    expect(cost({ State: 'Pending', Description: 'Register' })).toMatchObject({
      state: 0,
      description: 'Register',
    });
    expect(cost({ State: 'WrittenOff' })).toMatchObject({ state: 3, remaining: '0' });
  });

  it('are refused as commands would refuse them', () => {
    expect(() => cost({ State: 'Finalised', Kind: 'CostRecovery' })).toThrow(DomainError);
    expect(() => cost({ State: 'Finalised', SupplierId: null })).toThrow(DomainError);
  });
});
