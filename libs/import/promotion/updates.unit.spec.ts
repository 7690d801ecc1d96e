import type { DomainEvent } from '#kernel/decider';
import { DomainError } from '#kernel/errors';
import { Division } from '#practice/divisions/division';
import { Entity } from '#practice/entities/entity';
import type { InvoiceState } from '#practice/invoices/invoice';
import type { InvoiceLine } from '#practice/invoices/invoice.events';
import { TaxCode } from '#practice/tax-codes/tax-code';
import { WorkItem, type WorkItemState } from '#practice/work-items/work-item';
import type { Charge } from '../records/billing';
import type { Ground } from '../records/imported-record';
import { invoices, type WantedInvoice } from '../records/invoice-records';
import { matters } from '../records/matter-records';
import { Numbers } from '../records/numbers';
import { clients, employees, entities, suppliers } from '../records/people-records';
import { divisions, taxCodes } from '../records/reference-records';
import { type WantedWorkItem, workItems } from '../records/work-records';
import { updatesOf } from './updates';

const id = (kind: string, digit: number) => `${kind}_${String(digit).repeat(32)}`;
const reason = 'Written off in Elite';

interface AnyMaker {
  table: string;
  // biome-ignore lint/suspicious/noExplicitAny: any maker
  definition: any;
  // biome-ignore lint/suspicious/noExplicitAny: any maker
  create(wanted: any, ground: Ground): { events: DomainEvent[] };
}

// biome-ignore lint/suspicious/noExplicitAny: the state of any record
type State = any;

/** What creating it makes of a wish. */
function made({ definition, create }: AnyMaker, wanted: object) {
  const ground = { numbers: new Numbers({}), sourceSystem: 'Elite' } as Ground;
  const { events } = create(wanted, ground);
  const state = events.reduce<State>((before, event) => definition.evolve(before, event), undefined);
  const off = events.find(({ type }) => type === `${definition.name}WrittenOff`) as DomainEvent<
    string,
    { day: string }
  >;
  return { state, writtenOffOn: off?.data.day ?? null };
}

/** The events by which a record of one wish becomes that of another, and what it is then. */
function changed(maker: AnyMaker, from: object, to: object) {
  const { state, writtenOffOn } = made(maker, from);
  const events = updatesOf(maker, state, to, { reason, writtenOffOn });
  const after = events.reduce<State>((before, event) => maker.definition.evolve(before, event), state);
  return { types: events.map(({ type }) => type), after };
}

function refusal(maker: AnyMaker, from: object, to: object): string {
  try {
    changed(maker, from, to);
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  throw new Error('It was not refused');
}

describe('updatesOf', () => {
  describe('a division', () => {
    const wanted = (name: string) => ({ fields: { code: 'LIT', name, isDefault: false } });

    it('is given its new name', () => {
      const { types, after } = changed(divisions, wanted('Litigation'), wanted('Disputes'));
      expect(types).toEqual(['DivisionUpdated']);
      expect(after.name).toBe('Disputes');
    });

    it('stays the default that the tenant has made it', () => {
      const state = { ...made(divisions, wanted('Litigation')).state, isDefault: true };
      const occasion = { reason, writtenOffOn: null };
      expect(
        updatesOf({ table: 'Division', definition: Division }, state, wanted('Disputes'), occasion),
      ).toEqual([{ type: 'DivisionUpdated', data: { name: 'Disputes' } }]);
    });
  });

  describe('a tax code', () => {
    const wanted = (percent: string, to: string | null = null) => ({
      fields: {
        ...{ code: 'S', name: 'Standard', scheme: 'VAT', category: 'Standard' },
        rates: [{ percent, from: '2011-01-04', to }],
      },
    });

    it('takes another rate until an invoice has charged by it', () => {
      expect(changed(taxCodes, wanted('20'), wanted('17.5')).types).toEqual(['TaxCodeUpdated']);
      const { state } = made(taxCodes, wanted('20'));
      const used = TaxCode.evolve(state, { type: 'TaxCodeUsed', data: { from: '2011-01-04' } });
      const update = (to: object) =>
        updatesOf({ table: 'TaxCode', definition: TaxCode }, used, to, { reason, writtenOffOn: null });
      expect(() => update(wanted('17.5'))).toThrow(DomainError);
      expect(update(wanted('20', '2030-12-31'))).toHaveLength(1);
    });
  });

  describe('an entity', () => {
    const wanted = (fields: object) => ({
      fields: {
        ...{ entityType: 'Individual', lastName: 'Okafor', firstName: null, title: null, name: null },
        ...{ currency: 'GBP', email: null, phones: ['020 7946 0000'], addresses: [] },
        ...{ registrationNumber: null, taxNumber: null },
        ...fields,
      },
    });

    it('is told only what is new', () => {
      const { state } = made(entities, wanted({}));
      const to = wanted({ phones: ['020 7946 0001'] });
      expect(
        updatesOf({ table: 'Entity', definition: Entity }, state, to, { reason, writtenOffOn: null }),
      ).toEqual([{ type: 'EntityUpdated', data: { phones: ['020 7946 0001'] } }]);
    });

    it('stays a person', () => {
      const to = wanted({ entityType: 'Organisation', lastName: null, name: 'Okafor Ltd' });
      expect(refusal(entities, wanted({}), to)).toBe('entity_type_fixed');
    });
  });

  describe.each([
    ['an employee', employees],
    ['a supplier', suppliers],
  ])('%s', (_, maker) => {
    const wanted = (isActive: boolean, entity = 1) => ({
      fields: {
        ...{ entityId: id('entity', entity), initials: null, divisionId: null, jobTitle: null },
        ...{ billingGrade: null, isFeeEarner: true, defaultRate: null, paymentTermsDays: null },
      },
      isActive,
    });

    it('goes and comes back', () => {
      expect(changed(maker, wanted(true), wanted(false)).types).toEqual([
        expect.stringMatching(/Deactivated$/),
      ]);
      expect(changed(maker, wanted(false), wanted(true)).types).toEqual([
        expect.stringMatching(/Activated$/),
      ]);
    });

    it('never becomes somebody else', () => {
      expect(refusal(maker, wanted(true), wanted(true, 2))).toBe('entity_fixed');
    });
  });

  describe('a client', () => {
    const wanted = (state: string, fields: object = {}) => ({
      fields: {
        ...{ entityId: id('entity', 1), clientNumber: 'C1', defaultRateSetId: null, taxCodeId: null },
        ...{ billingContactId: null, paymentTermsDays: 30, minutesPerUnit: null },
        ...fields,
      },
      state,
    });

    it.each([
      ['New', 'Active', ['ClientActivated']],
      ['New', 'Inactive', ['ClientActivated', 'ClientDeactivated']],
      ['Active', 'Inactive', ['ClientDeactivated']],
      ['Inactive', 'Active', ['ClientActivated']],
    ])('%s becomes %s', (from, to, types) => {
      const done = changed(clients, wanted(from), wanted(to));
      expect(done.types).toEqual(types);
      expect(done.after).toEqual(made(clients, wanted(to)).state);
    });

    it('that was activated is never new again', () => {
      expect(refusal(clients, wanted('Active'), wanted('New'))).toBe('client_activated');
    });

    it('keeps the number that it was given', () => {
      const numbered = wanted('Active', { clientNumber: null });
      const { types, after } = changed(
        clients,
        numbered,
        wanted('Active', { clientNumber: null, paymentTermsDays: 14 }),
      );
      expect(types).toEqual(['ClientUpdated']);
      expect(after).toMatchObject({ clientNumber: '1', paymentTermsDays: 14 });
    });
  });

  describe('a matter', () => {
    const wanted = (state: string, dateClosed: string | null = null, fields: object = {}) => ({
      fields: {
        ...{ clientId: id('client', 1), divisionId: id('division', 1), title: 'Sale', matterNumber: 'M1' },
        ...{ matterTypeId: null, responsiblePersonId: null, actingPersonId: null, assistingPersonId: null },
        ...{ introducerId: null, billingContactId: null, currency: 'GBP', feeEstimate: null },
        ...{ disbursementEstimate: null, rateSetId: null, taxCodeId: null, minutesPerUnit: null },
        ...{ dateOpened: '2024-01-02T09:00:00.000Z' },
        ...fields,
      },
      state,
      dateClosed,
    });
    const day = '2025-03-04T00:00:00.000Z';
    const later = '2025-04-05T00:00:00.000Z';
    const shapes = [wanted('Open'), wanted('Closed', day), wanted('Closed', later), wanted('Archived', day)];

    it.each(
      shapes.flatMap((from) =>
        shapes.map((to) => [from.state, from.dateClosed, to.state, to.dateClosed] as const),
      ),
    )('%s (%s) becomes %s (%s)', (from, fromDay, to, toDay) => {
      const renamed = { title: 'Purchase' };
      const [before, after] = [wanted(from, fromDay), wanted(to, toDay, from === 'Archived' ? {} : renamed)];
      if (from === 'Archived' && (to !== 'Archived' || fromDay !== toDay)) {
        expect(refusal(matters, before, after)).toBe('matter_archived');
        return;
      }
      const done = changed(matters, before, after);
      expect(done.after).toEqual(made(matters, after).state);
      expect(new Set(done.types).size).toBe(done.types.length);
    });

    it('never passes to another client', () => {
      const other = wanted('Open', null, { clientId: id('client', 2) });
      expect(refusal(matters, wanted('Open'), other)).toBe('client_fixed');
    });
  });

  describe('a work item', () => {
    const charged = { amount: '200', units: '10' };
    const charge = (invoice: number, day: string | null): Charge => ({
      ...{ invoiceId: id('invoice', invoice), day },
      charged,
    });
    const item = (
      state: string,
      at: { charge?: Charge; off?: string; fields?: object } = {},
    ): WantedWorkItem => ({
      fields: {
        ...{ matterId: id('matter', 1), employeeId: id('employee', 1), taskTypeId: null, itemType: 0 },
        ...{ entryDate: '2025-01-02T09:00:00.000Z', entryDay: '2025-01-02', durationTicks: 36_000_000_000 },
        ...{
          units: '10',
          unitsOverridden: false,
          minutesPerUnit: '6',
          rate: { amount: '200', currency: 'GBP' },
        },
        ...{ rateSource: 'Request' as const, total: '200', title: 'Call', isBillable: true },
        ...{ externalReference: null, referenceOwner: null },
        ...at.fields,
      },
      ...{ state, writtenOffOn: at.off ?? null, charge: at.charge ?? null },
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

    it.each(pairs)('%s becomes %s', (from, to) => {
      const done = changed(workItems, shapes[from], shapes[to]);
      expect(done.after).toEqual(made(workItems, shapes[to]).state);
      expect(done.types.length).toBeGreaterThan(0);
    });

    const dearer = { rate: { amount: '250', currency: 'GBP' }, total: '250' };
    it.each(names.filter((name) => !name.includes('billed')))('%s is worth more', (name) => {
      const shape = shapes[name];
      const worth = { ...shape, fields: { ...shape.fields, ...dearer } };
      expect(changed(workItems, shape, worth).after).toEqual(made(workItems, worth).state);
    });

    it.each(names)('%s is called otherwise, by one event', (name) => {
      const shape = shapes[name];
      const renamed = { ...shape, fields: { ...shape.fields, title: 'Telephone call' } };
      const { types, after } = changed(workItems, shape, renamed);
      expect(types).toEqual(['WorkItemUpdated']);
      expect((after as WorkItemState).title).toBe('Telephone call');
    });

    it('that was billed keeps what it is worth and what was charged', () => {
      const { billed } = shapes;
      const worth = { ...billed, fields: { ...billed.fields, ...dearer } };
      expect(refusal(workItems, billed, worth)).toBe('charge_fixed');
      const cheaper = { ...billed, charge: { ...billed.charge!, charged: { amount: '150', units: '10' } } };
      expect(refusal(workItems, billed, cheaper)).toBe('charge_fixed');
    });

    it('moves in fee analysis as if the first write-off had never been', () => {
      const { state } = made(workItems, shapes['written off']);
      const occasion = { reason, writtenOffOn: '2025-02-01' };
      const [back, again] = updatesOf(
        { table: 'WorkItem', definition: WorkItem },
        state,
        shapes['written off later'],
        occasion,
      );
      expect(back).toMatchObject({ type: 'WorkItemReinstated', data: { day: '2025-02-01' } });
      expect(again).toMatchObject({ type: 'WorkItemWrittenOff', data: { day: '2025-03-01' } });
    });
  });

  describe('an invoice', () => {
    const line = (amount: string, at = 1): InvoiceLine => ({
      ...{ id: at, kind: 'Fee', sourceId: null, description: 'Advice', units: null, rate: null },
      ...{ amount, taxCodeId: null },
    });
    const taxation = {
      defaultTaxCodeId: id('taxcode', 1),
      rates: [{ taxCodeId: id('taxcode', 1), percent: '20' }],
    };
    const payment = (amount: string, day: string, at = 1) => ({ id: at, day, amount, reference: null });
    const invoice = (state: string, more: Partial<WantedInvoice> = {}): WantedInvoice => ({
      fields: {
        ...{ clientId: id('client', 1), matterId: id('matter', 1), currency: 'GBP' },
        ...{ issueDate: '2025-02-10', dueDate: '2025-03-12' },
      },
      ...{ lines: [line('100')], taxation, payments: [], state },
      issued: state === 'Draft' ? null : { number: '7', issueDate: '2025-02-10', dueDate: '2025-03-12' },
      ...more,
    });
    const shapes: Record<string, WantedInvoice> = {
      draft: invoice('Draft'),
      'a longer draft': invoice('Draft', { lines: [line('100'), line('50', 2)] }),
      issued: invoice('Issued'),
      'part paid': invoice('PartPaid', { payments: [payment('20', '2025-02-20')] }),
      'paid in two': invoice('Paid', {
        payments: [payment('20', '2025-02-20'), payment('100', '2025-03-01', 2)],
      }),
      'paid at once': invoice('Paid', { payments: [payment('120', '2025-02-15')] }),
      voided: invoice('Voided'),
      'written off': invoice('WrittenOff', { payments: [payment('20', '2025-02-20')] }),
    };
    const names = Object.keys(shapes);
    const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));
    /** What users see of it, however it came to be so. */
    const shown = ({ lines, lastLine: _, payments, number, ...state }: InvoiceState, isDraft: boolean) => ({
      ...state,
      // A number that was given once is kept by a draft.
      number: isDraft ? null : number,
      lines: lines.map(({ id: _id, ...rest }) => rest),
      payments: payments
        .filter(({ reversed }) => reversed === null)
        .map(({ day, amount }) => ({ day, amount })),
    });

    it.each(pairs)('%s becomes %s', (from, to) => {
      const [before, after] = [shapes[from], shapes[to]];
      const isOver = ['voided', 'written off'].includes(from);
      const isPaid = before.payments.length > 0;
      if (isOver || (isPaid && after.issued === null)) {
        expect(refusal(invoices, before, after)).toBe('invoice_fixed');
        return;
      }
      const done = changed(invoices, before, after);
      const isDraft = after.issued === null;
      expect(shown(done.after, isDraft)).toEqual(shown(made(invoices, after).state, isDraft));
    });

    it('that was issued says what it said', () => {
      const other = { ...shapes.issued, lines: [line('90')] };
      expect(refusal(invoices, shapes.issued, other)).toBe('invoice_fixed');
    });
  });
});
