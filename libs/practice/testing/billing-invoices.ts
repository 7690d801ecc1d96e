import * as invoice from '../invoices/invoice.commands';
import * as drafts from '../invoices/invoice.draft.commands';
import type { BillingFirm } from './billing-firm';
import type { BillingStep, LineDraw } from './billing-steps';
import type { BillingWitness } from './billing-witness';
import { NaiveInvoices } from './naive-invoices';
import { pence, zero } from './naive-money';
import {
  isPartWrittenOff,
  isReserved,
  type LedgerInvoice,
  type LedgerItem,
  type LineAsk,
  owes,
  type Refusals,
} from './naive-records';

/** The steps of a billing history that concern invoices. */
export class BillingInvoices {
  readonly books: NaiveInvoices;

  constructor(
    private readonly witness: BillingWitness,
    private readonly firm: BillingFirm,
  ) {
    this.books = new NaiveInvoices(witness.ledger);
  }

  readonly actions = {
    createInvoice: async (step: BillingStep) => {
      const waiting = step.suited
        ? this.witness.one(this.items(), { ...step, target: step.days }, isFree)
        : undefined;
      const matterId = waiting?.matterId ?? this.witness.matterId(step);
      const own = this.witness.ledger.matters.get(matterId)!.clientId;
      const clientId = step.suited ? own : this.firm.clientIds[step.other % 2];
      const lines = this.lines(step.lines, matterId);
      const body = { clientId, matterId, lines: this.bodies(lines) };
      const answer = await this.witness.answer(
        this.firm.act(drafts.CreateInvoice, drafts.CreateInvoiceHandler, body),
      );
      const id = 'id' in answer ? answer.id : 'refused';
      this.witness.agree(step, answer, this.books.create(id, { clientId, matterId }, lines));
    },

    addLines: (step: BillingStep) =>
      this.change(step, isDraft, ({ matterId }) => {
        const lines = this.lines(step.lines, matterId);
        const unbilledUntil = step.other % 3 === 0 ? '2025-12-31' : null;
        const body = { lines: this.bodies(lines), unbilledUntil };
        return {
          ask: (id) => this.firm.act(drafts.AddInvoiceLines, drafts.AddInvoiceLinesHandler, id, body),
          write: (id) => {
            const more = unbilledUntil === null ? [] : this.books.unbilled(id, unbilledUntil, lines);
            return this.books.change(id, [], [...lines, ...more]);
          },
        };
      }),

    removeLine: (step: BillingStep) =>
      this.change(step, hasLines, ({ lines }) => {
        const line = lines.at(step.other % (lines.length || 1))?.id ?? 99;
        return {
          ask: (id) => this.firm.act(drafts.RemoveInvoiceLine, drafts.RemoveInvoiceLineHandler, id, line),
          write: (id) => this.books.change(id, [line], []),
        };
      }),

    changeInvoice: (step: BillingStep) =>
      this.change(step, isDraft, ({ matterId, lines: before }) => {
        const { day, other } = step;
        // Some of the charged records stay on the invoice, perhaps with another charge.
        const kept = before.flatMap(({ kind, sourceId }, index) =>
          sourceId !== null && index % 2 === other % 2
            ? [{ kind, sourceId, ...(step.way === 'amount' && { amount: step.share / 10 }) }]
            : [],
        );
        const lines = [...kept, ...this.lines(step.lines, matterId, kept)];
        const issueDate = day === null ? {} : { issueDate: day };
        const days = { ...issueDate, ...(other % 7 === 6 && { dueDate: '2026-03-31' }) };
        const isRelined = other % 3 !== 0;
        const body = { ...days, ...(isRelined && { lines: this.bodies(lines) }) };
        return {
          ask: (id) => this.firm.act(drafts.UpdateInvoice, drafts.UpdateInvoiceHandler, id, body),
          write: (id) => this.books.patch(id, isRelined ? lines : null, days),
        };
      }),

    deleteInvoice: (step: BillingStep) =>
      this.change(
        step,
        (one) => isDraft(one) && one.number === null,
        () => ({
          ask: (id) => this.firm.act(drafts.DeleteInvoice, drafts.DeleteInvoiceHandler, id),
          write: (id) => this.books.remove(id),
        }),
      ),

    issue: (step: BillingStep) =>
      this.change(step, hasLines, () => {
        const issueDate = step.day ?? undefined;
        return {
          ask: (id) => this.firm.act(invoice.IssueInvoice, invoice.IssueInvoiceHandler, id, { issueDate }),
          write: (id) => this.books.issue(id, issueDate, this.witness.today),
        };
      }),

    unissue: (step: BillingStep) =>
      this.change(step, isIssued, () => {
        const date = step.day ?? undefined;
        return {
          ask: (id) => this.firm.act(invoice.UnissueInvoice, invoice.UnissueInvoiceHandler, id, { date }),
          write: (id) => this.books.unissue(id, date, this.witness.today),
        };
      }),

    void: (step: BillingStep) =>
      this.change(
        step,
        (one) => isIssued(one) || (isDraft(one) && one.number !== null),
        () => {
          const date = step.day ?? undefined;
          return {
            ask: (id) => this.firm.act(invoice.VoidInvoice, invoice.VoidInvoiceHandler, id, { date }),
            write: (id) => this.books.void(id, date, this.witness.today),
          };
        },
      ),

    pay: (step: BillingStep) =>
      this.change(step, owes, (found) => {
        const { balance } = this.books.totals(found, this.witness.today);
        // Sometimes the payment leaves a penny.
        const asked = step.other % 5 === 4 ? balance.sub(0.01) : pence(balance.mul(step.share).div(1000));
        const part = Math.max(asked.toNumber(), 0.01);
        const amount = step.crumb ? part + 0.001 : part;
        return {
          ask: (id) => this.firm.act(invoice.PayInvoice, invoice.PayInvoiceHandler, id, { amount }),
          write: (id) => this.books.pay(id, amount, this.witness.today),
        };
      }),

    reverse: (step: BillingStep) =>
      this.change(step, hasPayments, ({ payments }) => {
        const number = (step.other % (payments.length + (step.suited ? 0 : 1) || 1)) + 1;
        const { ReverseInvoicePayment, ReverseInvoicePaymentHandler } = invoice;
        return {
          ask: (id) => this.firm.act(ReverseInvoicePayment, ReverseInvoicePaymentHandler, id, number, {}),
          write: (id) => this.books.reverse(id, number),
        };
      }),

    writeOffInvoice: (step: BillingStep) =>
      this.change(step, owes, () => {
        const body = { reason: 'Insolvent' };
        return {
          ask: (id) => this.firm.act(invoice.WriteOffInvoice, invoice.WriteOffInvoiceHandler, id, body),
          write: (id) => this.books.writeOff(id, this.witness.today),
        };
      }),
  };

  private async change(
    step: BillingStep,
    suits: (invoice: LedgerInvoice) => boolean,
    plan: (invoice: LedgerInvoice) => {
      ask: (id: string) => Promise<{ record: { id: string } }>;
      write: (id: string) => Refusals;
    },
  ): Promise<void> {
    const found = this.witness.one([...this.witness.ledger.invoices], step, ([, one]) => suits(one));
    if (!found) return;
    const [id, invoice] = found;
    const { ask, write } = plan(invoice);
    this.witness.agree(step, await this.witness.answer(ask(id)), write(id));
  }

  private lines(draws: LineDraw[], matterId: string, held: LineAsk[] = []): LineAsk[] {
    const lines: LineAsk[] = [];
    for (const draw of draws) lines.push(this.line(draw, matterId, [...held, ...lines]));
    return lines;
  }

  private line(draw: LineDraw, matterId: string, others: LineAsk[]): LineAsk {
    const { target, suited, way, share, crumb, taxCode } = draw;
    const suits = (item: LedgerItem) =>
      isFree(item) && item.matterId === matterId && !others.some(({ sourceId }) => sourceId === item.id);
    const isOwn = target === null || (suited && (draw.kind === 'Discount' || draw.kind === 'Text'));
    const item = isOwn
      ? undefined
      : this.witness.one([...this.witness.ledger.items.values()], { target, suited }, suits);
    const charging = item?.employeeId === null ? 'Disbursement' : 'Fee';
    const kind = draw.kind === 'suited' || (suited && item) ? charging : draw.kind;
    if (kind === 'Text' && suited) return { kind };
    // A line without a source has no remaining value, so £100 or ten units take its place.
    const worth = pence((item?.left.amount ?? zero.add(100)).mul(share).div(1000)).toNumber();
    const units = (item?.left.units ?? zero.add(10)).mul(share).div(1000).toDP(4).toNumber();
    const isPriced = way.includes('amount') || (suited && !item && !way.includes('rate'));
    return {
      kind,
      ...(item && { sourceId: item.id }),
      ...(taxCode !== null && { taxCode }),
      ...(way.includes('units') && { units }),
      ...(isPriced && { amount: crumb ? worth + 0.001 : worth }),
      ...(way.includes('rate') && { rate: share > 700 ? 99.995 : 150 }),
    };
  }

  /** The ledger's items, those that were written off in part first. */
  private items(): LedgerItem[] {
    const all = [...this.witness.ledger.items.values()];
    return [...all.filter(isPartWrittenOff), ...all.filter((item) => !isPartWrittenOff(item))];
  }

  private bodies(lines: LineAsk[]) {
    return lines.map(({ taxCode, ...line }) => ({
      ...line,
      ...(taxCode && { taxCodeId: this.firm.taxCodes.get(taxCode) }),
    }));
  }
}

const isFree = (item: LedgerItem) => item.state === 'Finalised' && item.billable && !isReserved(item);
const isDraft = ({ state }: LedgerInvoice) => state === 'Draft';
const isIssued = ({ state }: LedgerInvoice) => state === 'Issued';
const hasLines = (invoice: LedgerInvoice) =>
  isDraft(invoice) && invoice.lines.some(({ kind }) => kind !== 'Text');
const hasPayments = ({ payments }: LedgerInvoice) => payments.some(({ reversed }) => !reversed);
