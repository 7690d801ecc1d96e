import { decimal, roundMoney, text } from '#kernel/money';
import { type Day, daysAfter } from '#kernel/zone';
import { INVOICE_NUMBER, Invoice } from '#practice/invoices/invoice';
import { chunks } from '#practice/invoices/invoice.draft';
import type {
  InvoiceEvent,
  InvoiceFields,
  InvoiceLine,
  LineKind,
  Payment,
  Taxation,
} from '#practice/invoices/invoice.events';
import type { LineInput } from '#practice/invoices/invoice.input';
import { PAYMENT_TERMS_DAYS } from '#practice/invoices/invoice.issue';
import { linesFrom } from '#practice/invoices/invoice.lines';
import type { Sources } from '#practice/invoices/invoice.sources';
import { taxationOn } from '#practice/invoices/invoice.taxation';
import { taxCodeOf, totalsOf } from '#practice/invoices/invoice.totals';
import { noReference } from '#practice/records/record';
import type { Ground, Maker } from './imported-record';
import { partsOf } from './reference-records';
import { needed, type Row } from './row';
import { reasonOf } from './work-records';

/** A symbol: JSON, and so the digests by which rows of earlier imports are recognised, leave the property out. */
export const LEFT_OPEN = Symbol('left open');

export interface WantedInvoice {
  fields: InvoiceFields;
  lines: InvoiceLine[];
  /** For each line, the values that its row leaves to what it charges. */
  [LEFT_OPEN]: (keyof InvoiceLine)[][];
  taxation: Taxation;
  /** Null for a draft. */
  issued: { number: string; issueDate: Day; dueDate: Day } | null;
  payments: Payment[];
  state: string;
}

/** A taxation without a default tax code: only lines that name their codes have one. */
const NO_DEFAULT: Taxation = { defaultTaxCodeId: null, rates: [] };

/** A line of the source, with the row of the work item or cost that it charges. */
export interface SourceLine {
  line: Row;
  item: Row | null;
  cost: Row | null;
}

/**
 * The wanted invoice of a row whose `payments` are its Payment rows, as JSON, the oldest first.
 * @param charging the lines of linesOf, each with the id of what it charges
 */
export function wantedInvoice(
  row: Row,
  charging: readonly ChargingLine[],
  sources: Sources,
  ground: Ground,
): WantedInvoice {
  const { ids, known, settings, today } = ground;
  const state = needed(row, 'State');
  const clientId = ids.to('Client', needed(row, 'ClientId'));
  const matterId = ids.to('Matter', needed(row, 'MatterId'));
  const currency = needed(row, 'Currency');
  const { IssueDate: issueDate, DueDate: dueDate } = row;
  const isDraft = state === 'Draft';
  const due = () => daysAfter(issueDate!, known.paymentTerms(clientId) ?? PAYMENT_TERMS_DAYS);
  const inputs = charging.map((line) => inputOf(line, currency, ground));
  const lines = linesFrom(inputs, { matterId, currency }, sources, 0, []);
  const defaults = known.defaultTax({ matterId, clientId }, row.DefaultTaxCodeId);
  const taxed = taxationOn(issueDate ?? today, settings.taxScheme, lines, known.taxCodes, defaults).taxation;
  const isNamed =
    row.NamesCodes === 'true' &&
    lines.every((line) => taxCodeOf(line, NO_DEFAULT) !== null || line.kind === 'Text');
  const taxation = isNamed ? { ...taxed, defaultTaxCodeId: null } : taxed;
  return {
    fields: { clientId, matterId, currency, issueDate, dueDate },
    lines,
    taxation,
    state,
    [LEFT_OPEN]: inputs.map(leftOpen),
    issued: isDraft
      ? null
      : { number: needed(row, 'Number'), issueDate: needed(row, 'IssueDate'), dueDate: dueDate ?? due() },
    payments: partsOf(row, 'payments').map((payment, index) => ({
      id: index + 1,
      day: needed(payment, 'Date'),
      amount: minorUnits(needed(payment, 'Amount'), currency),
      reference: payment.Reference,
    })),
  };
}

interface ChargingLine {
  line: Row;
  /** Null for a line that charges nothing else: a charge of its own, or a text. */
  sourceId: string | null;
}

export function linesOf(row: Row): SourceLine[] {
  return partsOf(row, 'lines') as unknown as SourceLine[];
}

export const invoices: Pick<Maker<WantedInvoice>, 'table' | 'definition' | 'create' | 'parts'> = {
  table: 'Invoice',
  definition: Invoice,
  parts: ({ lines, payments }) => ({ InvoiceLine: lines.length, Payment: payments.length }),
  create(wanted, ground) {
    const { fields, lines, taxation, issued } = wanted;
    const events: InvoiceEvent[] = [{ type: 'InvoiceCreated', data: { ...fields, ...noReference } }];
    for (const chunk of chunks(lines)) events.push({ type: 'InvoiceLinesAdded', data: { lines: chunk } });
    if (taxation.rates.length > 0) events.push({ type: 'InvoiceTaxed', data: taxation });
    if (issued === null) return { events };
    events.push({ type: 'InvoiceIssued', data: { ...issued, ...taxation } }, ...settled(wanted, ground));
    return { events, counters: ground.numbers.take(INVOICE_NUMBER, issued.number).counters };
  },
};

/** The payments of an issued invoice, and its cancellation or write-off. */
function settled({ lines, taxation, fields, payments, state, issued }: WantedInvoice, ground: Ground) {
  let balance = decimal(totalsOf(lines, taxation, fields.currency).total);
  const events = payments.map((payment): InvoiceEvent => {
    balance = balance.sub(payment.amount);
    return { type: balance.isZero() ? 'InvoicePaid' : 'InvoicePartPaid', data: { payment } };
  });
  const { issueDate } = issued!;
  // The source has no day for a cancellation or a write-off. The last day that it has for the invoice is taken instead.
  if (state === 'Voided') events.push({ type: 'InvoiceVoided', data: { day: issueDate } });
  if (state === 'WrittenOff') {
    const [day] = [issueDate, ...payments.map((payment) => payment.day)].sort().reverse();
    const bad = { day, amount: text(balance), reason: reasonOf(ground) };
    events.push({ type: 'InvoiceWrittenOff', data: bad });
  }
  return events;
}

function inputOf({ line: row, sourceId }: ChargingLine, currency: string, { ids }: Ground): LineInput {
  const kind = needed(row, 'Kind') as LineKind;
  const { Description: description } = row;
  // A text line has only a description; zeros in its other columns say nothing.
  if (kind === 'Text') return { kind, description };
  const numberOf = (value: string | null) => (value === null ? null : Number(value));
  return {
    kind,
    sourceId,
    description,
    units: numberOf(row.Units),
    rate: numberOf(row.Rate),
    amount: row.Amount === null ? null : Number(minorUnits(row.Amount, currency)),
    taxCodeId: ids.maybeTo('TaxCode', row.TaxCodeId),
  };
}

function leftOpen({ sourceId, ...input }: LineInput): (keyof InvoiceLine)[] {
  const names = sourceId ? (['description', 'rate', 'units'] as const) : (['description'] as const);
  return names.filter((name) => input[name] === null);
}

function minorUnits(value: string, currency: string): string {
  return text(roundMoney(decimal(value), currency));
}
