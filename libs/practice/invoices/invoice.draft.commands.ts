import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import type { RequestContext } from '#platform/request-context';
import type { InvoiceState } from './invoice';
import { addLines, createInvoice, deleteInvoice, removeLine, updateInvoice } from './invoice.draft';
import type { InvoiceInput, InvoicePatch, LinesInput } from './invoice.input';

type Done = Promise<Written<InvoiceState>>;

export class CreateInvoice {
  constructor(
    readonly context: RequestContext,
    readonly body: InvoiceInput,
  ) {}
}

@CommandHandler(CreateInvoice)
export class CreateInvoiceHandler implements ICommandHandler<CreateInvoice> {
  constructor(private readonly store: EventStore) {}

  execute({ context, body }: CreateInvoice): Done {
    return this.store.execute(context, (work) => createInvoice(work, body));
  }
}

export class UpdateInvoice {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: InvoicePatch,
  ) {}
}

@CommandHandler(UpdateInvoice)
export class UpdateInvoiceHandler implements ICommandHandler<UpdateInvoice> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: UpdateInvoice): Done {
    return this.store.execute(context, (work) => updateInvoice(work, id, body));
  }
}

export class AddInvoiceLines {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: LinesInput,
  ) {}
}

@CommandHandler(AddInvoiceLines)
export class AddInvoiceLinesHandler implements ICommandHandler<AddInvoiceLines> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: AddInvoiceLines): Done {
    return this.store.execute(context, (work) => addLines(work, id, body));
  }
}

export class RemoveInvoiceLine {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly lineId: number,
  ) {}
}

@CommandHandler(RemoveInvoiceLine)
export class RemoveInvoiceLineHandler implements ICommandHandler<RemoveInvoiceLine> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, lineId }: RemoveInvoiceLine): Done {
    return this.store.execute(context, (work) => removeLine(work, id, lineId));
  }
}

export class DeleteInvoice {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

@CommandHandler(DeleteInvoice)
export class DeleteInvoiceHandler implements ICommandHandler<DeleteInvoice> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: DeleteInvoice): Done {
    return this.store.execute(context, (work) => deleteInvoice(work, id));
  }
}

export const draftHandlers = [
  CreateInvoiceHandler,
  UpdateInvoiceHandler,
  AddInvoiceLinesHandler,
  RemoveInvoiceLineHandler,
  DeleteInvoiceHandler,
];
