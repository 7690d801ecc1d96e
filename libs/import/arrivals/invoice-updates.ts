import type { StreamDefinition } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import { decimal, text } from '#kernel/money';
import {
  type InvoiceState,
  InvoiceStatus,
  invoiceStatusName,
  isIssuedUnpaid,
} from '#practice/invoices/invoice';
import { chunks } from '#practice/invoices/invoice.draft';
import type { InvoiceEvent, InvoiceLine, Payment } from '#practice/invoices/invoice.events';
import { Evolving } from '../records/evolving';
import { LEFT_OPEN, type WantedInvoice } from '../records/invoice-records';
import { changesOf } from './changes';

const { Draft, Voided, WrittenOff } = InvoiceStatus;

/**
 * Updates an invoice to its rows. A draft takes any lines and may be issued. An issued invoice takes payments or reverses
 * them, and may be voided or written off; without payments it may become a draft again.
 * @throws DomainError `invoice_fixed` for any other change
 */
export function invoiceUpdates(
  definition: StreamDefinition<InvoiceState, InvoiceEvent>,
  state: InvoiceState,
  wanted: WantedInvoice,
  reason: string,
): InvoiceEvent[] {
  const { clientId, matterId, currency, issueDate, dueDate } = wanted.fields;
  if (Object.keys(changesOf(state, { clientId, matterId, currency })).length > 0)
    throw fixed('The client, the matter and the currency of an invoice cannot be changed.');
  const invoice = new Evolving(definition, state);
  if (state.state === Voided || state.state === WrittenOff) {
    if (
      wanted.state !== invoiceStatusName(state.state) ||
      !isSame(state, wanted) ||
      movesMoney(state, wanted)
    )
      throw fixed('An invoice that was voided or written off cannot be changed.');
    return invoice.events;
  }
  if (wanted.issued === null && isIssuedUnpaid(state))
    invoice.apply([{ type: 'InvoiceUnissued', data: { day: state.issueDate! } }]);
  if (invoice.now.state === Draft) {
    const dates = changesOf(invoice.now, { issueDate, dueDate });
    if (wanted.issued === null && Object.keys(dates).length > 0)
      invoice.apply([{ type: 'InvoiceUpdated', data: dates }]);
    invoice.apply(newLines(invoice.now, wanted));
    if (wanted.issued === null) return invoice.events;
    if (invoice.now.number !== null && invoice.now.number !== wanted.issued.number)
      throw fixed('An invoice keeps the number that it was first issued with.');
    invoice.apply([{ type: 'InvoiceIssued', data: { ...wanted.issued, ...wanted.taxation } }]);
  } else if (wanted.issued === null || !isSame(invoice.now, wanted)) {
    throw fixed('An invoice that was issued cannot be changed.');
  }
  settle(invoice, wanted, reason);
  return invoice.events;
}

function fixed(message: string) {
  return conflict('invoice_fixed', message);
}

function withoutIds(lines: readonly InvoiceLine[]) {
  return lines.map(({ id: _, ...line }) => line);
}

/**
 * Whether an invoice equals its rows. Values that the rows leave open stay as they were at the issue: the client's terms,
 * or the name, the rate and the value of what a line charges, may have changed since.
 */
function isSame(
  { number, issueDate, dueDate, lines, taxation }: InvoiceState,
  { fields, issued, [LEFT_OPEN]: leftOpen, ...wanted }: WantedInvoice,
): boolean {
  const said = (all: readonly InvoiceLine[]) =>
    withoutIds(all).map((line, at) => ({
      ...line,
      ...Object.fromEntries((leftOpen[at] ?? []).map((name) => [name, null])),
    }));
  const asIs = { number, issueDate, dueDate, lines: said(lines), taxation };
  const asWanted = { ...issued, dueDate: fields.dueDate ?? dueDate, lines: said(wanted.lines) };
  return Object.keys(changesOf(asIs, { ...asWanted, taxation: wanted.taxation })).length === 0;
}

function newLines(state: InvoiceState, { lines, taxation }: WantedInvoice): InvoiceEvent[] {
  const events: InvoiceEvent[] = [];
  const same = changesOf({ lines: withoutIds(state.lines) }, { lines: withoutIds(lines) });
  if ('lines' in same) {
    if (state.lines.length > 0)
      events.push({ type: 'InvoiceLinesRemoved', data: { ids: state.lines.map(({ id }) => id) } });
    const renumbered = lines.map((line, index) => ({ ...line, id: state.lastLine + 1 + index }));
    for (const chunk of chunks(renumbered))
      events.push({ type: 'InvoiceLinesAdded', data: { lines: chunk } });
  }
  if ('taxation' in changesOf(state, { taxation })) events.push({ type: 'InvoiceTaxed', data: taxation });
  return events;
}

const nameOf = ({ day, amount, reference }: Omit<Payment, 'id'>) => JSON.stringify([day, amount, reference]);

/** The payments of the invoice that no row has, and the payments of rows that the invoice lacks. */
function difference({ payments }: InvoiceState, { payments: wanted }: WantedInvoice) {
  const missing = [...wanted];
  const surplus = payments.filter((payment) => {
    if (payment.reversed !== null) return false;
    const at = missing.findIndex((one) => nameOf(one) === nameOf(payment));
    if (at >= 0) missing.splice(at, 1);
    return at < 0;
  });
  return { surplus, missing };
}

function movesMoney(state: InvoiceState, wanted: WantedInvoice): boolean {
  const { surplus, missing } = difference(state, wanted);
  return surplus.length + missing.length > 0;
}

/** Updates an issued invoice's payments, and its end, to the rows. */
function settle(invoice: Evolving<InvoiceState, InvoiceEvent>, wanted: WantedInvoice, reason: string): void {
  const { surplus, missing } = difference(invoice.now, wanted);
  for (const { id, day } of surplus)
    invoice.apply([{ type: 'InvoicePaymentReversed', data: { paymentId: id, day, reason: null } }]);
  for (const { day, amount, reference } of missing) {
    const payment = { id: invoice.now.payments.length + 1, day, amount, reference };
    const isLast = decimal(invoice.now.balance).eq(amount);
    invoice.apply([{ type: isLast ? 'InvoicePaid' : 'InvoicePartPaid', data: { payment } }]);
  }
  const { issueDate } = wanted.issued!;
  if (wanted.state === 'Voided') invoice.apply([{ type: 'InvoiceVoided', data: { day: issueDate } }]);
  if (wanted.state !== 'WrittenOff') return;
  const [day] = [issueDate, ...wanted.payments.map((payment) => payment.day)].sort().reverse();
  invoice.apply([
    { type: 'InvoiceWrittenOff', data: { day, amount: text(decimal(invoice.now.balance)), reason } },
  ]);
}
