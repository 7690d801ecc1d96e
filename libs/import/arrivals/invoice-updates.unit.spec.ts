import type { InvoiceState } from '#practice/invoices/invoice';
import type { InvoiceLine } from '#practice/invoices/invoice.events';
import { invoices, LEFT_OPEN, type WantedInvoice } from '../records/invoice-records';
import { changed, id, made, refusal } from './testing/changed';

describe('updatesOf an invoice', () => {
  const line = (amount: string, at = 1): InvoiceLine => ({
    id: at,
    kind: 'Fee',
    sourceId: null,
    description: 'Advice',
    units: null,
    rate: null,
    amount,
    taxCodeId: null,
  });
  const taxation = {
    defaultTaxCodeId: id('taxcode', 1),
    rates: [{ taxCodeId: id('taxcode', 1), percent: '20' }],
  };
  const payment = (amount: string, day: string, at = 1) => ({ id: at, day, amount, reference: null });
  const invoice = (state: string, more: Partial<WantedInvoice> = {}): WantedInvoice => ({
    fields: {
      clientId: id('client', 1),
      matterId: id('matter', 1),
      currency: 'GBP',
      issueDate: '2025-02-10',
      dueDate: '2025-03-12',
    },
    lines: [line('100')],
    [LEFT_OPEN]: [],
    taxation,
    payments: [],
    state,
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
  /** The part of an invoice's state that users see, however it was reached. */
  const shown = ({ lines, lastLine: _, payments, number, ...state }: InvoiceState, isDraft: boolean) => ({
    ...state,
    // A draft keeps a number that it was given once.
    number: isDraft ? null : number,
    lines: lines.map(({ id: _id, ...rest }) => rest),
    payments: payments
      .filter(({ reversed }) => reversed === null)
      .map(({ day, amount }) => ({ day, amount })),
  });

  it.each(pairs)('that is %s makes it %s, or is refused', (from, to) => {
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

  it.each(['draft', 'issued'])(
    'that is %s becomes a draft without a due date when its row leaves that out',
    (from) => {
      const fields = { ...shapes.draft.fields, issueDate: '2025-06-01', dueDate: null };
      const { after } = changed(invoices, shapes[from], invoice('Draft', { fields }));
      expect(after).toMatchObject({ issueDate: '2025-06-01', dueDate: null });
    },
  );

  it('that is issued refuses other lines', () => {
    const other = { ...shapes.issued, lines: [line('90')] };
    expect(refusal(invoices, shapes.issued, other)).toBe('invoice_fixed');
  });

  it('that is issued keeps the due date and the descriptions, units and rates that its rows leave out, whatever its client and charged records say since', () => {
    const fields = { ...shapes.issued.fields, dueDate: null };
    const open = invoice('Issued', { fields, [LEFT_OPEN]: [['description', 'rate', 'units']] });
    const since = {
      ...open,
      lines: [{ ...line('100'), description: 'Counsel', rate: '90', units: '1.1' }],
      issued: { ...open.issued!, dueDate: '2025-02-20' },
    };
    expect(changed(invoices, open, since).types).toEqual([]);
    expect(refusal(invoices, open, { ...since, [LEFT_OPEN]: [['rate', 'units']] })).toBe('invoice_fixed');
    expect(refusal(invoices, open, { ...since, fields: { ...fields, dueDate: '2025-02-20' } })).toBe(
      'invoice_fixed',
    );
  });
});
