import type { Decimal } from 'decimal.js';
import type { NaiveLedger } from './naive-ledger';
import { lineOf } from './naive-lines';
import { exact, pence, zero } from './naive-money';
import {
  isUnbilled,
  type LedgerInvoice,
  type LedgerLine,
  type LineAsk,
  owes,
  type Refusals,
} from './naive-records';
import { percentOn } from './naive-vat';

export type Days = Partial<Pick<LedgerInvoice, 'issueDate' | 'dueDate'>>;

/** The invoices of a ledger. @see resources.md: Invoices, Money */
export class NaiveInvoices {
  private lastNumber = 0;

  constructor(private readonly ledger: NaiveLedger) {}

  create(id: string, ask: Pick<LedgerInvoice, 'clientId' | 'matterId'>, lines: LineAsk[]): Refusals {
    const { ledger } = this;
    const draft: LedgerInvoice = {
      ...{ ...ask, state: 'Draft', number: null, issueDate: null, dueDate: null },
      ...{ lines: [], lineCount: 0, payments: [], writtenOff: zero },
    };
    const refusals: Refusals = [];
    if (ledger.isClosed(ask.matterId)) refusals.push('matter_not_open');
    if (ledger.matters.get(ask.matterId)!.clientId !== ask.clientId) refusals.push('client_mismatch');
    if (this.reline(id, draft, [], lines, refusals).length === 0) ledger.invoices.set(id, draft);
    return refusals;
  }

  /** Replaces the lines with the given ids. */
  change(id: string, gone: number[] | 'all', lines: LineAsk[]): Refusals {
    const invoice = this.live(id);
    if (!invoice) return ['not_found'];
    if (invoice.state !== 'Draft') return ['invoice_not_draft'];
    const ids = gone === 'all' ? invoice.lines.map((line) => line.id) : gone;
    if (ids.some((one) => !invoice.lines.some((line) => line.id === one))) return ['line_not_found'];
    return this.reline(id, invoice, ids, lines);
  }

  /** Changes days and replaces all lines, if given. Unchanged values have no effect. */
  patch(id: string, lines: LineAsk[] | null, days: Days): Refusals {
    const invoice = this.live(id);
    if (!invoice) return ['not_found'];
    const { issueDate = invoice.issueDate } = days;
    const isAnew = invoice.number !== null && days.dueDate === undefined && issueDate !== invoice.issueDate;
    const dueDate = isAnew ? null : days.dueDate === undefined ? invoice.dueDate : days.dueDate;
    if (issueDate && dueDate && dueDate < issueDate) return ['due_before_issue'];
    if (!lines && issueDate === invoice.issueDate && dueDate === invoice.dueDate) return [];
    const refusals = this.change(id, lines ? 'all' : [], lines ?? []);
    if (refusals.length === 0) Object.assign(invoice, { issueDate, dueDate });
    return refusals;
  }

  /** The lines that `unbilledUntil` adds. */
  unbilled(id: string, until: string, beside: LineAsk[]): LineAsk[] {
    const invoice = this.ledger.invoices.get(id)!;
    return [...this.ledger.items.values()]
      .filter(({ matterId, day }) => matterId === invoice.matterId && day <= until)
      .filter((item) => item.state === 'Finalised' && isUnbilled(item))
      .filter((item) => item.invoiceId === null && !beside.some(({ sourceId }) => sourceId === item.id))
      .sort((one, other) => (`${one.day}${one.id}` < `${other.day}${other.id}` ? -1 : 1))
      .map((item) => ({
        kind: item.employeeId ? 'Fee' : item.bought ? 'Disbursement' : 'CostRecovery',
        sourceId: item.id,
      }));
  }

  remove(id: string): Refusals {
    const invoice = this.live(id);
    if (!invoice) return ['not_found'];
    if (invoice.state !== 'Draft') return ['invoice_not_draft'];
    if (invoice.number !== null) return ['invoice_numbered'];
    for (const sourceId of charged(invoice)) this.ledger.items.get(sourceId)!.invoiceId = null;
    invoice.state = 'Deleted';
    return [];
  }

  issue(id: string, asked: string | undefined, today: string): Refusals {
    const invoice = this.live(id);
    if (!invoice) return ['not_found'];
    if (invoice.state !== 'Draft') return ['invoice_not_draft'];
    const issueDate = asked ?? invoice.issueDate ?? today;
    const { number: numbered, issueDate: before } = invoice;
    const anew = numbered !== null && before !== null && before !== issueDate;
    const terms = this.ledger.matters.get(invoice.matterId)!.paymentTermsDays;
    const dueDate = (anew ? null : invoice.dueDate) ?? later(issueDate, terms);
    const refusals: Refusals = [];
    if (invoice.lines.every(({ kind }) => kind === 'Text')) refusals.push('invoice_empty');
    if (dueDate < issueDate) refusals.push('due_before_issue');
    if (this.totals({ ...invoice, issueDate }, today).total.lt(0)) refusals.push('negative_total');
    if (refusals.length > 0) return refusals;
    const number = invoice.number ?? String(++this.lastNumber);
    Object.assign(invoice, { state: 'Issued', number, issueDate, dueDate });
    if (this.totals(invoice, today).total.isZero()) invoice.state = 'Paid';
    for (const { sourceId, amount, units } of invoice.lines)
      if (sourceId !== null) this.ledger.bill(sourceId, issueDate, { amount, units: units! });
    return [];
  }

  unissue(id: string, asked: string | undefined, today: string): Refusals {
    return this.takeBack(id, ['Issued'], [], asked, (invoice) => {
      invoice.state = 'Draft';
      const day = asked ?? notBefore(invoice, today);
      for (const sourceId of charged(invoice)) this.ledger.unbill(sourceId, day, id);
    });
  }

  void(id: string, asked: string | undefined, today: string): Refusals {
    const { state, number } = this.live(id) ?? {};
    const never: Refusals = state === 'Draft' && number === null ? ['invoice_not_issued'] : [];
    return this.takeBack(id, ['Issued', 'Draft'], never, asked, (invoice) => {
      for (const sourceId of charged(invoice)) {
        if (state === 'Draft') this.ledger.items.get(sourceId)!.invoiceId = null;
        else this.ledger.unbill(sourceId, asked ?? notBefore(invoice, today), null);
      }
      invoice.state = 'Voided';
    });
  }

  pay(id: string, amount: number, today: string): Refusals {
    const invoice = this.live(id);
    if (!invoice) return ['not_found'];
    if (!owes(invoice)) return ['invoice_not_owed'];
    const refusals: Refusals = [];
    if (!pence(exact(amount)).eq(amount)) refusals.push('too_precise');
    if (this.totals(invoice, today).balance.lt(amount)) refusals.push('overpayment');
    if (refusals.length > 0) return refusals;
    invoice.payments.push({ amount: exact(amount), reversed: false });
    invoice.state = this.totals(invoice, today).balance.isZero() ? 'Paid' : 'PartPaid';
    return [];
  }

  /** @param paymentId counted from 1 */
  reverse(id: string, paymentId: number): Refusals {
    const invoice = this.live(id);
    if (!invoice) return ['not_found'];
    const payment = invoice.payments[paymentId - 1];
    if (!payment) return ['payment_not_found'];
    const refusals: Refusals = [];
    if (payment.reversed) refusals.push('payment_reversed');
    if (invoice.state !== 'PartPaid' && invoice.state !== 'Paid') refusals.push('invoice_not_owed');
    if (refusals.length > 0) return refusals;
    payment.reversed = true;
    invoice.state = invoice.payments.some(({ reversed }) => !reversed) ? 'PartPaid' : 'Issued';
    return [];
  }

  writeOff(id: string, today: string): Refusals {
    const invoice = this.live(id);
    if (!invoice) return ['not_found'];
    const { balance } = this.totals(invoice, today);
    if (!owes(invoice) || balance.isZero()) return ['invoice_not_owed'];
    invoice.writtenOff = balance;
    invoice.state = 'WrittenOff';
    return [];
  }

  /** The totals. The tax of the lines is summed unrounded for each code, and only then rounded. */
  totals(invoice: LedgerInvoice, today: string) {
    const { lines, issueDate, matterId, payments, state, writtenOff } = invoice;
    const byCode = new Map<string, Decimal>();
    for (const { kind, taxCode, amount } of lines.filter((line) => line.kind !== 'Text')) {
      const code = taxCode ?? this.ledger.matters.get(matterId)!.taxCode;
      const tax = amount.mul(percentOn(code, issueDate ?? today)).div(100);
      byCode.set(code, (byCode.get(code) ?? zero).add(kind === 'Text' ? zero : tax));
    }
    const net = sum(lines.map(({ amount }) => amount));
    const tax = sum([...byCode.values()].map(pence));
    const paid = sum(payments.filter(({ reversed }) => !reversed).map(({ amount }) => amount));
    const total = net.add(tax);
    const isOwed = state !== 'Draft' && state !== 'Voided' && state !== 'Deleted';
    return { net, tax, total, paid, balance: isOwed ? total.sub(paid).sub(writtenOff) : zero };
  }

  private live(id: string): LedgerInvoice | undefined {
    const invoice = this.ledger.invoices.get(id);
    return invoice?.state === 'Deleted' ? undefined : invoice;
  }

  private takeBack(
    id: string,
    wanted: LedgerInvoice['state'][],
    others: Refusals,
    asked: string | undefined,
    carryOut: (invoice: LedgerInvoice) => void,
  ): Refusals {
    const invoice = this.live(id);
    if (!invoice) return ['not_found'];
    if (invoice.payments.some(({ reversed }) => !reversed) && invoice.state !== 'WrittenOff')
      return ['payment_stands'];
    const state = invoice.state === 'Paid' ? 'Issued' : invoice.state;
    if (!wanted.includes(state)) return ['invoice_not_issued'];
    const refusals = [...others];
    if (this.ledger.isClosed(invoice.matterId)) refusals.push('matter_not_open');
    const isIssued = invoice.state !== 'Draft';
    if (isIssued && asked !== undefined && asked < invoice.issueDate!) refusals.push('before_issue');
    if (refusals.length === 0) carryOut(invoice);
    return refusals;
  }

  /** Removes lines, adds others and updates the records that they charge; nothing changes if a rule refuses a line. */
  private reline(
    id: string,
    invoice: LedgerInvoice,
    gone: number[] | 'all',
    asks: LineAsk[],
    refusals: Refusals = [],
  ): Refusals {
    const isGone = (line: LedgerLine) => gone === 'all' || gone.includes(line.id);
    const kept = invoice.lines.filter((line) => !isGone(line));
    const taken = new Set(charged({ lines: kept }));
    const added = asks.map((ask, index) => {
      if (ask.sourceId && taken.has(ask.sourceId)) refusals.push('source_twice');
      if (ask.sourceId) taken.add(ask.sourceId);
      const number = invoice.lineCount + 1 + index;
      return lineOf(this.ledger, ask, { ...invoice, id }, number, refusals);
    });
    if (refusals.length > 0) return refusals;
    for (const sourceId of charged(invoice)) this.ledger.items.get(sourceId)!.invoiceId = null;
    invoice.lines = [...kept, ...added];
    invoice.lineCount += added.length;
    for (const sourceId of charged(invoice)) this.ledger.items.get(sourceId)!.invoiceId = id;
    return [];
  }
}

function charged({ lines }: Pick<LedgerInvoice, 'lines'>): string[] {
  return lines.flatMap(({ sourceId }) => sourceId ?? []);
}

function sum(values: Decimal[]): Decimal {
  return values.reduce((total, value) => total.add(value), zero);
}

function later(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The earliest day of a reversal: that of the issue if it is later than today, else today. */
function notBefore({ issueDate }: LedgerInvoice, today: string): string {
  return issueDate !== null && issueDate > today ? issueDate : today;
}
