import { WorkItem, type WorkItemState } from '#practice/work-items/work-item';
import type { Charge } from '../records/billing';
import { type WantedWorkItem, workItems } from '../records/work-records';
import { changed, id, made, occasion, refusal } from './testing/changed';
import { updatesOf } from './updates';

describe('updatesOf a work item', () => {
  const charged = { amount: '200', units: '10' };
  const charge = (invoice: number, day: string | null): Charge => ({
    invoiceId: id('invoice', invoice),
    day,
    charged,
  });
  const item = (
    state: string,
    at: { charge?: Charge; off?: string; fields?: object } = {},
  ): WantedWorkItem => ({
    fields: {
      matterId: id('matter', 1),
      employeeId: id('employee', 1),
      taskTypeId: null,
      itemType: 0,
      entryDate: '2025-01-02T09:00:00.000Z',
      entryDay: '2025-01-02',
      durationTicks: 36_000_000_000,
      units: '10',
      unitsOverridden: false,
      minutesPerUnit: '6',
      rate: { amount: '200', currency: 'GBP' },
      rateSource: 'Request' as const,
      total: '200',
      title: 'Call',
      isBillable: true,
      externalReference: null,
      referenceOwner: null,
      ...at.fields,
    },
    state,
    writtenOffOn: at.off ?? null,
    charge: at.charge ?? null,
  });
  const shapes: Record<string, WantedWorkItem> = {
    pending: item('Pending'),
    finalised: item('Finalised'),
    'written off': item('WrittenOff', { off: '2025-02-01' }),
    'written off later': item('WrittenOff', { off: '2025-03-01' }),
    'on a draft': item('Finalised', { charge: charge(1, null) }),
    'on another draft': item('Finalised', { charge: charge(2, null) }),
    billed: item('Billed', { charge: charge(1, '2025-02-10') }),
    'billed by another': item('Billed', { charge: charge(2, '2025-02-10') }),
  };
  const names = Object.keys(shapes);
  const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));

  it.each(pairs)('that is %s makes it %s', (from, to) => {
    const done = changed(workItems, shapes[from], shapes[to]);
    expect(done.after).toEqual(made(workItems, shapes[to]).state);
    expect(done.types.length).toBeGreaterThan(0);
  });

  const dearer = { rate: { amount: '250', currency: 'GBP' }, total: '250' };
  it.each(names.filter((name) => !name.includes('billed')))('that is %s gives it a higher value', (name) => {
    const shape = shapes[name];
    const worth = { ...shape, fields: { ...shape.fields, ...dearer } };
    expect(changed(workItems, shape, worth).after).toEqual(made(workItems, worth).state);
  });

  it.each(names)('that is %s gives it another title, by one event', (name) => {
    const shape = shapes[name];
    const renamed = { ...shape, fields: { ...shape.fields, title: 'Telephone call' } };
    const { types, after } = changed(workItems, shape, renamed);
    expect(types).toEqual(['WorkItemUpdated']);
    expect((after as WorkItemState).title).toBe('Telephone call');
  });

  it('that is billed refuses another value and another charge', () => {
    const { billed } = shapes;
    const worth = { ...billed, fields: { ...billed.fields, ...dearer } };
    expect(refusal(workItems, billed, worth)).toBe('charge_fixed');
    const cheaper = { ...billed, charge: { ...billed.charge!, charged: { amount: '150', units: '10' } } };
    expect(refusal(workItems, billed, cheaper)).toBe('charge_fixed');
  });

  it('that is written off on another day reverses the first write-off on the day of that', () => {
    const { state } = made(workItems, shapes['written off']);
    const then = { ...occasion, writtenOffOn: '2025-02-01' };
    const [back, again] = updatesOf(
      { table: 'WorkItem', definition: WorkItem },
      state,
      shapes['written off later'],
      then,
    );
    expect(back).toMatchObject({ type: 'WorkItemReinstated', data: { day: '2025-02-01' } });
    expect(again).toMatchObject({ type: 'WorkItemWrittenOff', data: { day: '2025-03-01' } });
  });
});
