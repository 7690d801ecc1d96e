import type { RequestContext } from '#platform/request-context';
import { ChangeCommand, handlerOf } from '../records/command';
import type {
  BadDebtInput,
  IssueInput,
  PaymentInput,
  PaymentReversalInput,
  ReversalInput,
} from './invoice.input';
import { issueInvoice, unissueInvoice, voidInvoice } from './invoice.issue';
import { payInvoice, reversePayment, writeOffInvoice } from './invoice.payments';

export class IssueInvoice extends ChangeCommand<IssueInput> {}

export const IssueInvoiceHandler = handlerOf(IssueInvoice, (work, { id, body }) =>
  issueInvoice(work, id, body),
);

export class UnissueInvoice extends ChangeCommand<ReversalInput> {}

export const UnissueInvoiceHandler = handlerOf(UnissueInvoice, (work, { id, body }) =>
  unissueInvoice(work, id, body),
);

export class VoidInvoice extends ChangeCommand<ReversalInput> {}

export const VoidInvoiceHandler = handlerOf(VoidInvoice, (work, { id, body }) => voidInvoice(work, id, body));

export class PayInvoice extends ChangeCommand<PaymentInput> {}

export const PayInvoiceHandler = handlerOf(PayInvoice, (work, { id, body }) => payInvoice(work, id, body));

export class ReverseInvoicePayment {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly paymentId: number,
    readonly body: PaymentReversalInput,
  ) {}
}

export const ReverseInvoicePaymentHandler = handlerOf(
  ReverseInvoicePayment,
  (work, { id, paymentId, body }) => reversePayment(work, id, paymentId, body),
);

export class WriteOffInvoice extends ChangeCommand<BadDebtInput> {}

export const WriteOffInvoiceHandler = handlerOf(WriteOffInvoice, (work, { id, body }) =>
  writeOffInvoice(work, id, body),
);

export const invoiceHandlers = [
  IssueInvoiceHandler,
  UnissueInvoiceHandler,
  VoidInvoiceHandler,
  PayInvoiceHandler,
  ReverseInvoicePaymentHandler,
  WriteOffInvoiceHandler,
];
