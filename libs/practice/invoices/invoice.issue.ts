import { at, counter } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { conflict } from '#kernel/errors';
import { decimal } from '#kernel/money';
import { type Day, dayGiven, dayIn, dayNotBefore, daysAfter } from '#kernel/zone';
import { bill, release, reverseBilling } from '../billable/billable.billing';
import { Matter, requireOpen } from '../matters/matter.lookup';
import { loadAddressed } from '../records/addressed-record';
import { nextNumber } from '../records/numbering';
import { addressed } from '../records/record';
import { settings, settingsOf, type TenantState } from '../tenants/tenant.lookup';
import {
  INVOICE_NUMBER,
  Invoice,
  type InvoiceState,
  InvoiceStatus,
  issuedOn,
  requireDueAfter,
  requireInvoice,
} from './invoice';
import type { IssueInput, ReversalInput } from './invoice.input';
import { changeSources, loadSources } from './invoice.sources';
import { defaultTaxQuestions, loadTaxCodes, markUsed, taxationOn } from './invoice.taxation';
import { totalsOf } from './invoice.totals';

/** Days to pay when the client has no terms of its own. */
export const PAYMENT_TERMS_DAYS = 30;

/**
 * Issues a draft: assigns its number and settles the records that it charges, in one append.
 * @throws DomainError `invoice_not_draft`, `invoice_empty`, `negative_total` (409); `due_before_issue`,
 *   `tax_rate_not_found` (422)
 */
export async function issueInvoice(work: UnitOfWork, id: string, body: IssueInput) {
  const before = await loadAddressed(work, Invoice, id);
  const { data } = before;
  requireInvoice(data, 'invoice_not_draft', InvoiceStatus.Draft);
  if (data.lines.every(({ kind }) => kind === 'Text'))
    throw conflict('invoice_empty', 'The invoice has no line that charges anything.');
  const found = await work.load({
    tenant: settingsOf(work.context),
    last: counter(INVOICE_NUMBER),
    ...defaultTaxQuestions(data),
  });
  const tenant = settings(found.tenant);
  const { issueDate, dueDate } = daysOf(
    data,
    body,
    found.client?.data.paymentTermsDays ?? null,
    tenant,
    work.now,
  );
  const named = await loadTaxCodes(work, data.lines);
  const { taxation, codes } = taxationOn(issueDate, tenant.taxScheme, data.lines, named, found, []);
  if (decimal(totalsOf(data.lines, taxation, data.currency).total).isNegative())
    throw conflict('negative_total', 'The discounts exceed the charges, so the total would be negative.');
  const sources = await loadSources(work, data.lines);
  const number = data.number ?? nextNumber(work, INVOICE_NUMBER, found.last);
  const issued = { number, issueDate, dueDate, ...taxation };
  const record = work.change(Invoice, before, [{ type: 'InvoiceIssued', data: issued }]);
  changeSources(work, data.lines, sources, (definition, state, { amount, units }) =>
    bill(definition, state, id, issueDate, { amount, units: units! }),
  );
  markUsed(work, issueDate, codes);
  return record;
}

/** Makes an issued invoice a draft again. It keeps its number and its charges. */
export async function unissueInvoice(work: UnitOfWork, id: string, body: ReversalInput) {
  const { before, day, sources } = await loadIssued(work, id, body);
  const record = work.change(Invoice, before, [{ type: 'InvoiceUnissued', data: { day } }]);
  changeSources(work, before.data.lines, sources, (definition, state) =>
    reverseBilling(definition, state, id, day, true),
  );
  return record;
}

/** Voids an invoice that is issued, or a draft that was issued before. Its number is never used again. */
export async function voidInvoice(work: UnitOfWork, id: string, body: ReversalInput) {
  const { before, day, sources } = await loadIssued(work, id, body, InvoiceStatus.Draft);
  const isDraft = before.data.state === InvoiceStatus.Draft;
  const record = work.change(Invoice, before, [{ type: 'InvoiceVoided', data: { day } }]);
  changeSources(work, before.data.lines, sources, (definition, state) =>
    isDraft ? release(definition, state, id) : reverseBilling(definition, state, id, day, false),
  );
  return record;
}

/**
 * Loads an issued invoice without payments.
 * @param others other states that are allowed
 * @throws DomainError `payment_stands`, `invoice_not_issued`, `matter_not_open` (409), `before_issue` (422)
 */
async function loadIssued(work: UnitOfWork, id: string, { date }: ReversalInput, ...others: InvoiceStatus[]) {
  const { invoice, tenant } = await work.load({ invoice: at(Invoice, id), tenant: settingsOf(work.context) });
  const before = addressed(work, invoice, 'invoice');
  const { data } = before;
  if (data.paid !== '0' && data.state !== InvoiceStatus.WrittenOff)
    throw conflict('payment_stands', 'The invoice is paid, at least in part; reverse its payments first.');
  if (data.number === null)
    throw conflict('invoice_not_issued', 'The invoice was never issued; a draft can be deleted.');
  requireInvoice(data, 'invoice_not_issued', InvoiceStatus.Issued, InvoiceStatus.Paid, ...others);
  const { matter } = await work.load({ matter: at(Matter, data.matterId) });
  requireOpen(matter);
  const { timeZone } = settings(tenant);
  const given = dayGiven(timeZone, date, work.now);
  // A draft's issue date is only planned, or missing.
  const isDraft = data.state === InvoiceStatus.Draft;
  const day = isDraft ? given : dayNotBefore(issuedOn(data), given, date);
  return { before, day, sources: await loadSources(work, data.lines) };
}

function daysOf(
  { number, issueDate, dueDate }: InvoiceState,
  body: IssueInput,
  terms: number | null,
  { timeZone }: TenantState,
  now: Date,
): { issueDate: Day; dueDate: Day } {
  const issued = body.issueDate ? dayGiven(timeZone, body.issueDate) : (issueDate ?? dayIn(timeZone, now));
  // The due date of an invoice that is issued again on another day is computed anew.
  const isAnew = number !== null && issueDate !== null && issued !== issueDate;
  const kept = isAnew ? null : dueDate;
  const given = body.dueDate ? dayGiven(timeZone, body.dueDate) : kept;
  const days = { issueDate: issued, dueDate: given ?? daysAfter(issued, terms ?? PAYMENT_TERMS_DAYS) };
  requireDueAfter(days);
  return days;
}
