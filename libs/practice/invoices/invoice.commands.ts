import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import type { RequestContext } from '#platform/request-context';
import type { InvoiceState } from './invoice';
import type {
  BadDebtInput,
  IssueInput,
  PaymentInput,
  PaymentReversalInput,
  ReversalInput,
} from './invoice.input';
import { issueInvoice, unissueInvoice, voidInvoice } from './invoice.issue';
import { payInvoice, reversePayment, writeOffInvoice } from './invoice.payments';

type Done = Promise<Written<InvoiceState>>;

export class IssueInvoice {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: IssueInput,
  ) {}
}

@CommandHandler(IssueInvoice)
export class IssueInvoiceHandler implements ICommandHandler<IssueInvoice> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: IssueInvoice): Done {
    return this.store.execute(context, (work) => issueInvoice(work, id, body));
  }
}

export class UnissueInvoice {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: ReversalInput,
  ) {}
}

@CommandHandler(UnissueInvoice)
export class UnissueInvoiceHandler implements ICommandHandler<UnissueInvoice> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: UnissueInvoice): Done {
    return this.store.execute(context, (work) => unissueInvoice(work, id, body));
  }
}

export class VoidInvoice {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: ReversalInput,
  ) {}
}

@CommandHandler(VoidInvoice)
export class VoidInvoiceHandler implements ICommandHandler<VoidInvoice> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: VoidInvoice): Done {
    return this.store.execute(context, (work) => voidInvoice(work, id, body));
  }
}

export class PayInvoice {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: PaymentInput,
  ) {}
}

@CommandHandler(PayInvoice)
export class PayInvoiceHandler implements ICommandHandler<PayInvoice> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: PayInvoice): Done {
    return this.store.execute(context, (work) => payInvoice(work, id, body));
  }
}

export class ReverseInvoicePayment {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly paymentId: number,
    readonly body: PaymentReversalInput,
  ) {}
}

@CommandHandler(ReverseInvoicePayment)
export class ReverseInvoicePaymentHandler implements ICommandHandler<ReverseInvoicePayment> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, paymentId, body }: ReverseInvoicePayment): Done {
    return this.store.execute(context, (work) => reversePayment(work, id, paymentId, body));
  }
}

export class WriteOffInvoice {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: BadDebtInput,
  ) {}
}

@CommandHandler(WriteOffInvoice)
export class WriteOffInvoiceHandler implements ICommandHandler<WriteOffInvoice> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: WriteOffInvoice): Done {
    return this.store.execute(context, (work) => writeOffInvoice(work, id, body));
  }
}

export const invoiceHandlers = [
  IssueInvoiceHandler,
  UnissueInvoiceHandler,
  VoidInvoiceHandler,
  PayInvoiceHandler,
  ReverseInvoicePaymentHandler,
  WriteOffInvoiceHandler,
];
