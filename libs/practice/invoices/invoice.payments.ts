import { at } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { conflict, DomainError, invalid } from '#kernel/errors';
import { decimal, text } from '#kernel/money';
import { dayGiven, dayNotBefore } from '#kernel/zone';
import { addressed } from '../records/record';
import { settings, settingsOf } from '../tenants/tenant.lookup';
import { Invoice, InvoiceStatus, issuedOn, requireInvoice } from './invoice';
import type { BadDebtInput, PaymentInput, PaymentReversalInput } from './invoice.input';
import { amountOf } from './invoice.lines';

const { Issued, PartPaid, Paid } = InvoiceStatus;

/**
 * Records a payment.
 * @throws DomainError `invoice_not_owed` (409), `overpayment`, `too_precise`, `currency_mismatch` (422)
 */
export async function payInvoice(work: UnitOfWork, id: string, body: PaymentInput) {
  const { before, day } = await load(work, id, body.date);
  const { data } = before;
  requireInvoice(data, 'invoice_not_owed', Issued, PartPaid);
  const amount = decimal(amountOf(body.amount, data, 'amount')!);
  if (amount.gt(data.balance))
    throw invalid('overpayment', `amount: only ${data.balance} ${data.currency} is owed.`, 'amount');
  const payment = {
    id: data.payments.length + 1,
    day,
    amount: text(amount),
    reference: body.reference ?? null,
  };
  const type = amount.eq(data.balance) ? 'InvoicePaid' : 'InvoicePartPaid';
  return work.change(Invoice, before, [{ type, data: { payment } }]);
}

/**
 * Reverses a payment: its amount is owed again.
 * @throws DomainError `payment_not_found` (404), `payment_reversed`, `invoice_not_owed` (409), `before_payment` (422)
 */
export async function reversePayment(
  work: UnitOfWork,
  id: string,
  paymentId: number,
  body: PaymentReversalInput,
) {
  const { before, day } = await load(work, id, body.date);
  const payment = before.data.payments.find((one) => one.id === paymentId);
  if (!payment) throw new DomainError('not_found', 'payment_not_found', 'The invoice has no such payment.');
  if (payment.reversed !== null) throw conflict('payment_reversed', 'The payment has already been reversed.');
  requireInvoice(before.data, 'invoice_not_owed', PartPaid, Paid);
  const paid = { on: payment.day, code: 'before_payment', what: 'it was paid on', field: 'date' };
  const data = { paymentId, day: dayNotBefore(paid, day, body.date), reason: body.reason ?? null };
  return work.change(Invoice, before, [{ type: 'InvoicePaymentReversed', data }]);
}

/**
 * Writes off the balance as bad debt. Billed records stay billed.
 * @throws DomainError `invoice_not_owed` (409), `before_issue` (422)
 */
export async function writeOffInvoice(work: UnitOfWork, id: string, body: BadDebtInput) {
  const { before, day } = await load(work, id, body.date);
  requireInvoice(before.data, 'invoice_not_owed', Issued, PartPaid);
  const on = dayNotBefore(issuedOn(before.data), day, body.date);
  const data = { day: on, amount: before.data.balance, reason: body.reason };
  return work.change(Invoice, before, [{ type: 'InvoiceWrittenOff', data }]);
}

async function load(work: UnitOfWork, id: string, date: string | null | undefined) {
  const { invoice, tenant } = await work.load({ invoice: at(Invoice, id), tenant: settingsOf(work.context) });
  const { timeZone } = settings(tenant);
  return {
    before: addressed(work, invoice, 'invoice'),
    day: dayGiven(timeZone, date, work.now),
  };
}
