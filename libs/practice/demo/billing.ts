import type { NewStream } from '#event-store/append/append-bulk';
import type { Folded } from '#event-store/events';
import { newId } from '#kernel/ids';
import { decimal, roundMoney, text } from '#kernel/money';
import { type Day, daysAfter } from '#kernel/zone';
import { type BillableState, BillableStatus, left } from '../billable/billable';
import { bill, reserve, reverseBilling } from '../billable/billable.billing';
import { reinstate } from '../billable/billable.transitions';
import { writeOff } from '../billable/billable.write-off';
import { INVOICE_NUMBER, Invoice, type InvoiceState, InvoiceStatus } from '../invoices/invoice';
import type { InvoiceEvent, InvoiceLine } from '../invoices/invoice.events';
import type { LineInput } from '../invoices/invoice.input';
import { PAYMENT_TERMS_DAYS } from '../invoices/invoice.issue';
import { linesFrom } from '../invoices/invoice.lines';
import { definitionOf } from '../invoices/invoice.sources';
import { taxationOn } from '../invoices/invoice.taxation';
import { noReference } from '../records/record';
import { taxRateOn } from '../tax-codes/tax-code.lookup';
import type { Calendar } from './calendar';
import type { Start } from './demo-start';
import { Life } from './life';
import type { Engagement } from './matters';
import { REASONS } from './narrations';
import type { Random } from './random';
import { settle } from './settling';
import type { Billed } from './work';

type InvoiceLife = Life<InvoiceState, InvoiceEvent>;

/** What happens to an invoice before it is paid. */
type Fate = 'issued' | 'reissued' | 'unissued' | 'voided' | 'draft';

/** Keeps the event of an invoice's lines well below the largest size of an event. */
const MAX_LINES = 400;

/** The result of billing a matter once. */
export interface Run {
  /** The finished records: invoices, and the items that they charge or that were written off. */
  streams: NewStream[];
  /** Items that a later invoice can charge. */
  open: Billed[];
}

/** Bills matters. Each invoice takes the next invoice number. */
export class Billing {
  /** The tax rates that the invoices charge: the first days of the rates, by the tax code's id. */
  readonly charged = new Map<string, Set<Day | null>>();
  /** The number of invoices, including drafts. */
  invoices = 0;
  private last: number;

  constructor(
    private readonly start: Start,
    private readonly random: Random,
    private readonly calendar: Calendar,
  ) {
    this.last = start.numbers.invoice;
  }

  /**
   * Bills all items of a matter on one day.
   * @param isLast the matter gets no later invoice, so this one settles everything
   */
  bill(engagement: Engagement, due: readonly Billed[], day: number, isLast: boolean): Run {
    const streams: NewStream[] = [];
    const open: Billed[] = [];
    const rest = due.filter((life) => {
      this.considerWriteOff(life, day);
      const isLeft = life.data.state === BillableStatus.Finalised;
      if (!isLeft) streams.push(life.stream());
      return isLeft;
    });
    for (const sources of batches(rest)) {
      if (!isWorthBilling(sources)) {
        if (isLast) streams.push(...sources.map((life) => life.stream()));
        else open.push(...sources);
        continue;
      }
      const fate = isLast ? 'issued' : this.fate(day);
      const invoice = this.draft(engagement, sources, day);
      this.follow(invoice, sources, day, fate, engagement.client.paymentTermsDays);
      streams.push(invoice.stream(invoice.data.number ? { [INVOICE_NUMBER]: this.last } : {}));
      if (fate === 'voided') open.push(...sources);
      else streams.push(...sources.map((life) => life.stream()));
    }
    return { streams, open };
  }

  /** Drafts an invoice over all items of a matter, which stays unsent. */
  prepare(engagement: Engagement, due: readonly Billed[], day: number): NewStream[] {
    const [sources] = batches(due);
    const drafts = isWorthBilling(sources) ? [this.draft(engagement, sources, day).stream()] : [];
    return [...drafts, ...due.map((life) => life.stream())];
  }

  private fate(day: number): Fate {
    const { random, calendar } = this;
    if (day + 4 > calendar.last) return random.chance(0.3) ? 'draft' : 'issued';
    return random.weighted([
      [0.012, 'reissued'] as const,
      [0.01, 'voided'] as const,
      // An unissued invoice is soon issued again, so only recent ones are left in that state.
      [day + 25 > calendar.last ? 0.02 : 0, 'unissued'],
      [1, 'issued'],
    ]);
  }

  private draft(engagement: Engagement, sources: readonly Billed[], day: number): InvoiceLife {
    const { settings } = this.start;
    const { id: matterId, client } = engagement;
    const fields = { clientId: client.id, matterId, currency: settings.currency };
    const created: InvoiceEvent = {
      type: 'InvoiceCreated',
      data: { ...fields, issueDate: null, dueDate: null, ...noReference },
    };
    const at = this.calendar.at(day, this.random.whole(0, 500));
    const invoice: InvoiceLife = new Life(Invoice, newId('invoice'), at, created);
    const folded = new Map(sources.map((life): [string, Folded<BillableState>] => [life.id, life.folded()]));
    const lines = linesFrom(this.inputs(sources), fields, folded, 0, []);
    invoice.live([{ type: 'InvoiceLinesAdded', data: { lines } }]);
    invoice.live([{ type: 'InvoiceTaxed', data: this.taxation(lines, this.calendar.days[day]).taxation }]);
    for (const life of sources) life.live(reserve(definitionOf(life.id), life.data, invoice.id));
    this.invoices++;
    return invoice;
  }

  private follow(
    invoice: InvoiceLife,
    sources: readonly Billed[],
    day: number,
    fate: Fate,
    terms: number | null,
  ): void {
    if (fate === 'draft') return;
    this.issue(invoice, sources, day, terms);
    let sent = day;
    if (fate !== 'issued') {
      sent += this.random.whole(1, 3);
      this.takeBack(invoice, sources, this.calendar.days[sent], fate === 'voided');
    }
    if (fate === 'reissued') this.issue(invoice, sources, sent, terms);
    if (invoice.data.state === InvoiceStatus.Issued) settle(invoice, sent, this.random, this.calendar);
  }

  private issue(invoice: InvoiceLife, sources: readonly Billed[], day: number, terms: number | null): void {
    const { lines, number: kept } = invoice.data;
    const issueDate = this.calendar.days[day];
    const dueDate = daysAfter(issueDate, terms ?? PAYMENT_TERMS_DAYS);
    const { taxation, codes } = this.taxation(lines, issueDate);
    const number = kept ?? String(++this.last);
    invoice.live([{ type: 'InvoiceIssued', data: { number, issueDate, dueDate, ...taxation } }]);
    const charges = new Map(lines.map((line) => [line.sourceId, line]));
    for (const life of sources) {
      const { amount, units } = charges.get(life.id)!;
      const charged = { amount, units: units! };
      life.live(bill(definitionOf(life.id), life.data, invoice.id, issueDate, charged));
    }
    for (const { id, data } of codes) {
      const days = this.charged.get(id) ?? new Set();
      this.charged.set(id, days.add(taxRateOn(data, issueDate).from));
    }
  }

  private takeBack(invoice: InvoiceLife, sources: readonly Billed[], day: Day, isVoid: boolean): void {
    invoice.live([{ type: isVoid ? 'InvoiceVoided' : 'InvoiceUnissued', data: { day } }]);
    for (const life of sources)
      life.live(reverseBilling(definitionOf(life.id), life.data, invoice.id, day, !isVoid));
  }

  private taxation(lines: readonly InvoiceLine[], day: Day) {
    const { taxCodes, settings } = this.start;
    const named = new Map(taxCodes.map((code) => [code.id as string, code]));
    const standardTaxCodes = taxCodes.filter(({ data }) => data.category === 'Standard');
    const defaults = { matterTaxCode: undefined, clientTaxCode: undefined, standardTaxCodes };
    return taxationOn(day, settings.taxScheme, lines, named, defaults);
  }

  /** A line for each item, some below or above the item's value, and sometimes a discount. */
  private inputs(sources: readonly Billed[]): LineInput[] {
    const { random } = this;
    const inputs = sources.map((life): LineInput => {
      if (definitionOf(life.id).kind === 'costrecovery') {
        const isBought = 'kind' in life.data && life.data.kind === 'Incurred';
        return { kind: isBought ? 'Disbursement' : 'CostRecovery', sourceId: life.id };
      }
      const factor = random.weighted([
        [0.045, random.between(0.6, 0.95)],
        [0.015, random.between(1.05, 1.3)],
        [1, 1],
      ]);
      return { kind: 'Fee', sourceId: life.id, amount: factor === 1 ? null : this.part(life, factor) };
    });
    const net = sources.reduce((sum, { data }) => sum.add(data.remaining), decimal(0));
    if (random.chance(0.04)) {
      const amount = Number(roundMoney(net.mul(random.between(0.02, 0.08)), this.start.settings.currency));
      inputs.push({ kind: 'Discount', description: 'As agreed', amount });
    }
    if (random.chance(0.1)) inputs.push({ kind: 'Text', description: 'With thanks for your instructions.' });
    return inputs;
  }

  private part({ data }: Billed, factor: number): number {
    return Number(roundMoney(decimal(data.remaining).mul(factor), this.start.settings.currency));
  }

  private considerWriteOff(life: Billed, day: number): void {
    const { random, calendar } = this;
    if (decimal(life.data.remaining).isZero() || !random.chance(0.05)) return;
    const definition = definitionOf(life.id);
    const isWhole = random.chance(0.35);
    const amount = isWhole ? null : text(decimal(this.part(life, random.between(0.1, 0.6))));
    if (amount === '0' || amount === left(life.data).amount) return;
    const request = { day: calendar.days[day], reason: random.pick(REASONS), units: null, amount };
    life.live(writeOff(definition, life.data, request));
    if (random.chance(0.08)) life.live(reinstate(definition, life.data, calendar.days[day]));
  }
}

function isWorthBilling(sources: readonly Billed[]): boolean {
  return sources.some(({ data }) => data.remaining !== '0');
}

function batches(sources: readonly Billed[]): Billed[][] {
  const all: Billed[][] = [];
  for (let from = 0; from < sources.length; from += MAX_LINES)
    all.push(sources.slice(from, from + MAX_LINES));
  return all;
}
