import type { DomainEvent } from '#kernel/decider';
import { Invoice, type InvoiceState } from '#practice/invoices/invoice';
import { groundFor, rowOf } from '../testing/ground';
import { billedRecords } from './billed-records';
import { digestsOf } from './imported-record';
import { KnownRecords } from './known-records';

const { ids } = groundFor();
const T1 = ids.of('TaxCode', 'T1');
const ZERO = ids.of('TaxCode', 'T0');

function ground() {
  const known = new KnownRecords();
  const none = { externalReference: null, referenceOwner: null, isDeleted: false };
  known.taxCode(T1, {
    code: 'S',
    name: 'Standard',
    scheme: 'VAT',
    category: 'Standard',
    ...none,
    rates: [
      { percent: '17.5', from: '2010-01-01', to: '2011-01-03' },
      { percent: '20', from: '2011-01-04', to: null },
    ],
  });
  known.taxCode(ZERO, { code: 'Z', name: 'Zero', scheme: 'VAT', category: 'Zero', rates: [], ...none });
  known.costCode(ids.of('DisbursementCode', 'X'), {
    kind: null,
    taxCodeId: ZERO,
    name: 'Search',
    description: null,
  });
  return groundFor({ known });
}

const item = (key: string, columns: object = {}) =>
  rowOf('WorkItem', {
    ImportId: key,
    MatterId: 'M1',
    EmployeeId: 'P1',
    ItemType: 'Itemised',
    Rate: '100.0000000000',
    EntryDate: '2025-07-01T10:00:00.0000000',
    RateCurrency: 'GBP',
    State: 'Billed',
    IsBillable: '1',
    Title: `Fee ${key}`,
    ...columns,
  });
const cost = rowOf('CostRecovery', {
  ImportId: 'K1',
  MatterId: 'M1',
  DisbursementCodeId: 'X',
  Kind: 'CostRecovery',
  State: 'Billed',
  EntryDate: '2025-07-01T10:00:00.0000000',
  Quantity: '2.0000',
  UnitAmount: '3.5000',
});

let lines = 0;
const line = (columns: Record<string, unknown>, of: { item?: unknown; cost?: unknown } = {}) => ({
  line: rowOf('InvoiceLine', { ImportId: `L${++lines}`, InvoiceId: 'I1', ...columns }),
  item: null,
  cost: null,
  ...of,
});
const fee = (key: string, columns: object = {}) =>
  line({ Kind: 'Fee', WorkItemId: key, ...columns }, { item: item(key) });

function bill(columns: Record<string, unknown>, of = ground()) {
  const row = rowOf('Invoice', {
    ImportId: 'I1',
    ClientId: 'C1',
    MatterId: 'M1',
    Number: '12',
    IssueDate: '2025-08-01',
    Currency: 'GBP',
    State: 'Issued',
    ...columns,
  });
  const [invoice, ...charged] = [...billedRecords(row, of)];
  const events: DomainEvent[] = invoice.create().events;
  const state = events.reduce<InvoiceState | undefined>(
    (before, event) => Invoice.evolve(before, event as never),
    undefined,
  )!;
  const types = events.map(({ type }) => type.slice('Invoice'.length));
  return { invoice, state, types, charged, ground: of };
}

const payment = (day: string, Amount: string) => rowOf('Payment', { ImportId: day, Date: day, Amount });

describe('an invoice', () => {
  it('comes with each work item and cost that it charges', () => {
    const { state, types, charged, invoice } = bill({
      lines: [
        fee('W1', { Amount: '90.0000' }),
        fee('W2'),
        line({ Kind: 'CostRecovery', CostRecoveryId: 'K1' }, { cost }),
        line({ Kind: 'Discount', Description: 'Loyalty', Amount: '-10.0000' }),
        line({ Kind: 'Text', Description: 'With thanks', Amount: '0.0000', Units: '0.0000' }),
      ],
    });
    expect(types).toEqual(['Created', 'LinesAdded', 'Taxed', 'Issued']);
    expect(charged.map(({ table, importId }) => [table, importId])).toEqual([
      ['WorkItem', 'W1'],
      ['WorkItem', 'W2'],
      ['CostRecovery', 'K1'],
    ]);
    expect(charged.map(({ create }) => create().events.at(-1)!.type)).toEqual([
      'WorkItemBilled',
      'WorkItemBilled',
      'CostRecoveryBilled',
    ]);
    expect(state).toMatchObject({
      number: '12',
      issueDate: '2025-08-01',
      dueDate: '2025-08-31',
      state: 1,
      net: '187',
      tax: '36',
      total: '223',
      balance: '223',
      taxation: {
        defaultTaxCodeId: T1,
        rates: expect.arrayContaining([
          { taxCodeId: T1, percent: '20' },
          { taxCodeId: ZERO, percent: '0' },
        ]),
      },
    });
    expect(state.lines.map(({ amount, units, taxCodeId }) => [amount, units, taxCodeId])).toEqual([
      ['90', '0.9', null],
      ['100', '1', null],
      ['7', '2', ZERO],
      ['-10', null, null],
      ['0', null, null],
    ]);
    expect(state.lines[1]).toMatchObject({ description: 'Fee W2', rate: '100', sourceId: charged[1].id });
    expect(invoice.create().counters).toEqual({ invoice_number: 12 });
    expect(invoice.parts).toEqual({ InvoiceLine: 5, Payment: 0 });
  });

  it('is taxed at the rate of its day, and marks that rate as used', () => {
    const { state, ground: of } = bill({ IssueDate: '2010-12-31', lines: [fee('W1')] });
    expect(state).toMatchObject({ tax: '17.5', total: '117.5' });
    expect([...of.known.usedRates]).toEqual([[T1, new Set(['2010-01-01'])]]);
    const held = line({ Kind: 'Fee', WorkItemId: 'W1' }, { item: item('W1', { State: 'Finalised' }) });
    const draft = bill({ State: 'Draft', Number: null, IssueDate: null, lines: [held] });
    expect([...draft.ground.known.usedRates]).toEqual([]);
    expect(draft.state).toMatchObject({ state: 0, number: null, tax: '20', balance: '0' });
    expect(draft.charged[0].create().events.at(-1)!.type).toBe('WorkItemReserved');
  });

  it('is due on the day that its row says, or by the payment terms of its client', () => {
    const of = ground();
    of.known.client(ids.of('Client', 'C1'), { paymentTermsDays: 14, taxCodeId: null, minutesPerUnit: null });
    expect(bill({ lines: [fee('W1')] }, of).state.dueDate).toBe('2025-08-15');
    expect(bill({ lines: [fee('W1')], DueDate: '2025-08-02' }, of).state.dueDate).toBe('2025-08-02');
  });

  it('is taxed by the code of its client where lines name none', () => {
    const of = ground();
    of.known.client(ids.of('Client', 'C1'), {
      paymentTermsDays: null,
      taxCodeId: ZERO,
      minutesPerUnit: null,
    });
    expect(bill({ lines: [fee('W1')] }, of).state).toMatchObject({ tax: '0', total: '100' });
  });

  it('is paid in parts', () => {
    const payments = [payment('2025-08-10', '20.0000'), payment('2025-09-10', '100.0000')];
    const part = bill({ State: 'PartPaid', lines: [fee('W1')], payments: payments.slice(0, 1) });
    expect([part.types.at(-1), part.state.state, part.state.balance]).toEqual(['PartPaid', 2, '100']);
    const whole = bill({ State: 'Paid', lines: [fee('W1')], payments });
    expect(whole.types.slice(-2)).toEqual(['PartPaid', 'Paid']);
    expect(whole.state).toMatchObject({ state: 3, paid: '120', balance: '0' });
    expect(whole.state.payments.map(({ id, day }) => [id, day])).toEqual([
      [1, '2025-08-10'],
      [2, '2025-09-10'],
    ]);
  });

  it('is written off on the day of its last payment, or of its issue if there was none', () => {
    const paid = { payments: [payment('2025-08-10', '20.0000')] };
    const part = bill({ State: 'WrittenOff', lines: [fee('W1')], ...paid });
    expect(part.invoice.create().events.at(-1)!.data).toEqual({
      day: '2025-08-10',
      amount: '100',
      reason: 'Written off in Ledger',
    });
    expect(part.state).toMatchObject({ state: 5, balance: '0', writtenOff: '100' });
    const all = bill({ State: 'WrittenOff', lines: [fee('W1')] });
    expect(all.invoice.create().events.at(-1)!.data).toMatchObject({ day: '2025-08-01', amount: '120' });
  });

  it('that was voided leaves what it charged to other invoices', () => {
    const { types, state, charged } = bill({ State: 'Voided', lines: [fee('W1')] });
    expect(types.slice(-2)).toEqual(['Issued', 'Voided']);
    expect(state).toMatchObject({ state: 4, balance: '0', total: '120', number: '12' });
    expect(charged).toEqual([]);
  });

  it('of many lines is divided among several events', () => {
    const many = Array.from({ length: 1_000 }, (_, index) =>
      fee(`W${index}`, { Description: 'x'.repeat(500) }),
    );
    const { types, state } = bill({ lines: many });
    expect(types.filter((type) => type === 'LinesAdded').length).toBeGreaterThan(1);
    expect(state.lines.map(({ id }) => id)).toEqual(many.map((_, index) => index + 1));
  });

  it('has digests that change with its row, its lines and its payments', () => {
    const rows = { State: 'PartPaid', payments: [payment('2025-08-10', '20.0000')] };
    const one = () => [fee('W1', { ImportId: 'L', Units: '1.0000' })];
    const digests = (columns: object) => {
      const { digest, cells } = digestsOf(bill({ ...rows, lines: one(), ...columns }).invoice);
      return [digest.toString('hex'), cells.toString('hex')];
    };
    expect(digests({})).toEqual(digests({}));
    const others = [
      { lines: [fee('W1', { ImportId: 'L', Units: '1.0000', Amount: '99.0000' })] },
      { payments: [payment('2025-08-10', '21.0000')] },
      { DueDate: '2025-08-30' },
      { MatterId: 'M1', Number: '13' },
    ].map(digests);
    for (const place of [0, 1])
      expect(new Set([digests({}), ...others].map((both) => both[place])).size).toBe(others.length + 1);
  });

  it('can charge only rows of the import', () => {
    expect(() => bill({ lines: [line({ Kind: 'Fee', WorkItemId: 'W9' })] })).toThrow('no row of the import');
  });
});
