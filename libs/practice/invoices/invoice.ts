import type { Link, StreamDefinition } from '#kernel/decider';
import { conflict, invalid } from '#kernel/errors';
import { type DecimalText, decimal, text } from '#kernel/money';
import type { Day } from '#kernel/zone';
import { DRAFT_INVOICE, WORK } from '../matters/matter.lookup';
import { type RecordState, referenceKeys } from '../records/record';
import {
  type InvoiceEvent,
  type InvoiceFields,
  type InvoiceLine,
  invoiceEvents,
  type Payment,
  type Taxation,
} from './invoice.events';
import { type Totals, totalsOf } from './invoice.totals';

/** The integers are fixed: clients store them. */
export const InvoiceStatus = { Draft: 0, Issued: 1, PartPaid: 2, Paid: 3, Voided: 4, WrittenOff: 5 } as const;
export type InvoiceStatus = (typeof InvoiceStatus)[keyof typeof InvoiceStatus];
const names = ['Draft', 'Issued', 'PartPaid', 'Paid', 'Voided', 'WrittenOff'];

export interface InvoiceState extends RecordState, InvoiceFields, Totals {
  state: InvoiceStatus;
  /** Assigned at the first issue, and kept from then on. */
  number: string | null;
  lines: InvoiceLine[];
  /** The id of the latest line and payment. */
  lastLine: number;
  taxation: Taxation;
  payments: (Payment & { reversed: { day: Day; reason: string | null } | null })[];
  paid: DecimalText;
  /** The amount written off as bad debt. */
  writtenOff: DecimalText;
  /** The amount still owed; 0 before the issue, and once the invoice is void. */
  balance: DecimalText;
}

/** The tenant's last invoice number. */
export const INVOICE_NUMBER = 'invoice_number';

/** How many lines an invoice can have. */
export const MAX_LINES = 1_000;

function linksOf(state: InvoiceState): Link[] {
  if (state.isDeleted) return [];
  const isDraft = state.state === InvoiceStatus.Draft;
  const codes = new Set(state.taxation.rates.map(({ taxCodeId }) => taxCodeId));
  return [
    { kind: 'invoice_client', target: state.clientId },
    { kind: isDraft ? DRAFT_INVOICE : WORK, target: state.matterId },
    ...[...codes].map((target) => ({ kind: 'invoice_taxcode', target })),
  ];
}

export const Invoice: StreamDefinition<InvoiceState, InvoiceEvent> = {
  kind: 'invoice',
  foldVersion: 2,
  events: invoiceEvents,
  isDeleted: ({ isDeleted }) => isDeleted,
  links: linksOf,
  keys: (state) => [
    ...referenceKeys('invoice', state),
    ...(state.number === null ? [] : [{ kind: INVOICE_NUMBER, key: state.number }]),
  ],
  evolve(state, event) {
    if (event.type === 'InvoiceCreated') return { ...empty, ...event.data };
    return { ...state!, ...step(state!, event) };
  },
};

const empty = {
  state: InvoiceStatus.Draft,
  number: null,
  isDeleted: false,
  lines: [],
  lastLine: 0,
  taxation: { defaultTaxCodeId: null, rates: [] },
  taxes: [],
  net: '0',
  tax: '0',
  total: '0',
  payments: [],
  paid: '0',
  writtenOff: '0',
  balance: '0',
};

/** The state after an event. */
function step(before: InvoiceState, event: Exclude<InvoiceEvent, { type: 'InvoiceCreated' }>) {
  switch (event.type) {
    case 'InvoiceUpdated':
      return event.data;
    case 'InvoiceLinesAdded': {
      const lines = [...before.lines, ...event.data.lines];
      return {
        lines,
        lastLine: lines[lines.length - 1].id,
        ...totalsOf(lines, before.taxation, before.currency),
      };
    }
    case 'InvoiceLinesRemoved': {
      const gone = new Set(event.data.ids);
      const lines = before.lines.filter(({ id }) => !gone.has(id));
      return { lines, ...totalsOf(lines, before.taxation, before.currency) };
    }
    case 'InvoiceTaxed':
      return taxed(before, event.data);
    case 'InvoiceIssued': {
      const { number, issueDate, dueDate, ...taxation } = event.data;
      const after = taxed(before, taxation);
      // An invoice with a total of 0 is paid at once.
      const state = after.total === '0' ? InvoiceStatus.Paid : InvoiceStatus.Issued;
      return { ...after, number, issueDate, dueDate, balance: after.total, state };
    }
    case 'InvoiceUnissued':
      return { state: InvoiceStatus.Draft, balance: '0' };
    case 'InvoiceVoided':
      return { state: InvoiceStatus.Voided, balance: '0' };
    case 'InvoicePartPaid':
    case 'InvoicePaid':
      return owing(before, [...before.payments, { ...event.data.payment, reversed: null }]);
    case 'InvoicePaymentReversed': {
      const { paymentId, ...reversed } = event.data;
      const { payments } = before;
      return owing(
        before,
        payments.map((one) => (one.id === paymentId ? { ...one, reversed } : one)),
      );
    }
    case 'InvoiceWrittenOff':
      return { writtenOff: event.data.amount, balance: '0', state: InvoiceStatus.WrittenOff };
    case 'InvoiceDeleted':
      return { isDeleted: true };
  }
}

function taxed({ lines, currency }: InvoiceState, taxation: Taxation) {
  return { taxation, ...totalsOf(lines, taxation, currency) };
}

function owing({ total }: InvoiceState, payments: InvoiceState['payments']) {
  const standing = payments.filter(({ reversed }) => reversed === null);
  const paid = standing.reduce((sum, { amount }) => sum.add(amount), decimal(0));
  const balance = decimal(total).sub(paid);
  const part = paid.isZero() ? InvoiceStatus.Issued : InvoiceStatus.PartPaid;
  return {
    payments,
    paid: text(paid),
    balance: text(balance),
    state: balance.isZero() ? InvoiceStatus.Paid : part,
  };
}

/** Refuses an invoice in any other state (409). @throws DomainError `invoice_not_draft`, `invoice_not_issued` */
export function requireInvoice({ state }: InvoiceState, code: string, ...wanted: InvoiceStatus[]): void {
  if (!wanted.includes(state)) throw conflict(code, `The invoice is ${spoken[state]}.`);
}

/**
 * Whether an invoice is issued and all of its payments are reversed. An invoice with a total of 0 is Paid without a
 * payment.
 */
export function isIssuedUnpaid({ state, paid }: InvoiceState): boolean {
  return state === InvoiceStatus.Issued || (state === InvoiceStatus.Paid && paid === '0');
}

/** The beginning for changes to an issued invoice, for `dayNotBefore`. */
export function issuedOn({ issueDate }: Pick<InvoiceState, 'issueDate'>) {
  return { on: issueDate!, code: 'before_issue', what: 'the invoice was issued on', field: 'date' };
}

/** Checks that an invoice is not due before its issue. @throws DomainError `due_before_issue` (422) */
export function requireDueAfter({ issueDate, dueDate }: Pick<InvoiceFields, 'issueDate' | 'dueDate'>): void {
  if (issueDate !== null && dueDate !== null && dueDate < issueDate)
    throw invalid('due_before_issue', 'dueDate: it is before the issue date.', 'dueDate');
}

const spoken = ['a draft', 'issued', 'part paid', 'paid', 'voided', 'written off'];

export function invoiceStatusName(state: InvoiceStatus): string {
  return names[state];
}
