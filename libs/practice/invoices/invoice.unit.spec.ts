import { given } from '#kernel/testing/given';
import { Invoice, requireInvoice } from './invoice';
import type { InvoiceEvent, InvoiceLine, Payment, Taxation } from './invoice.events';

const taxCodeId = 'taxcode_00000000000000000000000000000001';
const taxation: Taxation = { defaultTaxCodeId: taxCodeId, rates: [{ taxCodeId, percent: '20' }] };
const line = (id: number, amount: string, more: Partial<InvoiceLine> = {}): InvoiceLine => ({
  id,
  kind: 'Fee',
  sourceId: null,
  description: null,
  units: null,
  rate: null,
  amount,
  taxCodeId: null,
  ...more,
});
const created: InvoiceEvent = {
  type: 'InvoiceCreated',
  data: {
    clientId: 'client_00000000000000000000000000000002',
    matterId: 'matter_00000000000000000000000000000003',
    currency: 'GBP',
    issueDate: null,
    dueDate: null,
    externalReference: null,
    referenceOwner: null,
  },
};
const added = (...lines: InvoiceLine[]): InvoiceEvent => ({ type: 'InvoiceLinesAdded', data: { lines } });
const taxed: InvoiceEvent = { type: 'InvoiceTaxed', data: taxation };
const issued = (number = '7'): InvoiceEvent => ({
  type: 'InvoiceIssued',
  data: { number, issueDate: '2025-06-30', dueDate: '2025-07-30', ...taxation },
});
const payment = (id: number, amount: string): Payment => ({ id, day: '2025-07-01', amount, reference: null });
const paid = (id: number, amount: string, whole = false): InvoiceEvent => ({
  type: whole ? 'InvoicePaid' : 'InvoicePartPaid',
  data: { payment: payment(id, amount) },
});
const stateAfter = (...events: InvoiceEvent[]) => given(Invoice, [created, ...events]).state!;
const draft = [added(line(1, '100'), line(2, '0.05')), taxed];

describe('an invoice', () => {
  it('adds up its lines, and taxes their sum once for each tax code', () => {
    expect(stateAfter(...draft)).toMatchObject({
      state: 0,
      number: null,
      net: '100.05',
      tax: '20.01',
      total: '120.06',
      balance: '0',
      lastLine: 2,
      taxes: [{ taxCodeId, percent: '20', net: '100.05', tax: '20.01' }],
    });
  });

  it('never reuses the number of a removed line', () => {
    const gone: InvoiceEvent = { type: 'InvoiceLinesRemoved', data: { ids: [2] } };
    expect(stateAfter(...draft, gone)).toMatchObject({ net: '100', total: '120', lastLine: 2 });
    expect(stateAfter(...draft, gone, added(line(3, '1'))).lines.map(({ id }) => id)).toEqual([1, 3]);
  });

  it('is paid as soon as it is issued when its total is 0', () => {
    const nothing = [added(line(1, '100'), line(2, '-100', { kind: 'Discount' })), taxed];
    expect(stateAfter(...nothing, issued())).toMatchObject({ state: 3, total: '0', balance: '0', paid: '0' });
    const unissued: InvoiceEvent = { type: 'InvoiceUnissued', data: { day: '2025-07-01' } };
    expect(stateAfter(...nothing, issued(), unissued)).toMatchObject({ state: 0 });
  });

  it('has a balance from its issue until it is unissued, voided or written off', () => {
    const state = stateAfter(...draft, issued());
    expect(state).toMatchObject({ state: 1, number: '7', balance: '120.06', issueDate: '2025-06-30' });
    const unissued: InvoiceEvent = { type: 'InvoiceUnissued', data: { day: '2025-07-01' } };
    expect(stateAfter(...draft, issued(), unissued)).toMatchObject({ state: 0, number: '7', balance: '0' });
    const voided: InvoiceEvent = { type: 'InvoiceVoided', data: { day: '2025-07-01' } };
    expect(stateAfter(...draft, issued(), voided)).toMatchObject({ state: 4, number: '7', balance: '0' });
    const bad = { day: '2025-08-01', amount: '20.06', reason: 'Insolvent' };
    const lost = stateAfter(...draft, issued(), paid(1, '100'), { type: 'InvoiceWrittenOff', data: bad });
    expect(lost).toMatchObject({ state: 5, balance: '0', paid: '100', writtenOff: '20.06' });
  });

  it('can be paid in parts, and has a balance again when a payment is reversed', () => {
    const whole = [...draft, issued(), paid(1, '100'), paid(2, '20.06', true)];
    expect(stateAfter(...whole.slice(0, -1))).toMatchObject({ state: 2, paid: '100', balance: '20.06' });
    expect(stateAfter(...whole)).toMatchObject({ state: 3, paid: '120.06', balance: '0' });
    const back = (paymentId: number): InvoiceEvent => ({
      type: 'InvoicePaymentReversed',
      data: { paymentId, day: '2025-07-02', reason: 'Bounced' },
    });
    expect(stateAfter(...whole, back(1))).toMatchObject({ state: 2, paid: '20.06', balance: '100' });
    expect(stateAfter(...whole, back(1), back(2))).toMatchObject({ state: 1, paid: '0', balance: '120.06' });
  });

  it('links to its matter as a draft and later as work, to its client, and to the codes that tax it', () => {
    const { clientId, matterId } = stateAfter();
    const links = (...events: InvoiceEvent[]) => Invoice.links(stateAfter(...events));
    expect(links(...draft)).toEqual([
      { kind: 'invoice_client', target: clientId },
      { kind: 'draft_invoice', target: matterId },
      { kind: 'invoice_taxcode', target: taxCodeId },
    ]);
    expect(links(...draft, issued())).toContainEqual({ kind: 'work', target: matterId });
    expect(links(...draft, { type: 'InvoiceDeleted', data: {} })).toEqual([]);
    expect(Invoice.keys(stateAfter(...draft, issued()))).toEqual([{ kind: 'invoice_number', key: '7' }]);
  });

  it('has its state named in the refusal when it must be in another', () => {
    given(Invoice, [created, ...draft, issued()])
      .when((state) => {
        requireInvoice(state, 'invoice_not_draft', 0);
        return [];
      })
      .thenRefused('invoice_not_draft');
    expect(() => requireInvoice(stateAfter(...draft, issued()), 'invoice_not_draft', 0)).toThrow(
      'The invoice is issued.',
    );
  });
});
