import type { RequestContext } from '#platform/request-context';
import { ChangeCommand, CreateCommand, handlerOf, RecordCommand } from '../records/command';
import { addLines, createInvoice, deleteInvoice, removeLine, updateInvoice } from './invoice.draft';
import type { InvoiceInput, InvoicePatch, LinesInput } from './invoice.input';

export class CreateInvoice extends CreateCommand<InvoiceInput> {}

export const CreateInvoiceHandler = handlerOf(CreateInvoice, (work, { body }) => createInvoice(work, body));

export class UpdateInvoice extends ChangeCommand<InvoicePatch> {}

export const UpdateInvoiceHandler = handlerOf(UpdateInvoice, (work, { id, body }) =>
  updateInvoice(work, id, body),
);

export class AddInvoiceLines extends ChangeCommand<LinesInput> {}

export const AddInvoiceLinesHandler = handlerOf(AddInvoiceLines, (work, { id, body }) =>
  addLines(work, id, body),
);

export class RemoveInvoiceLine {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly lineId: number,
  ) {}
}

export const RemoveInvoiceLineHandler = handlerOf(RemoveInvoiceLine, (work, { id, lineId }) =>
  removeLine(work, id, lineId),
);

export class DeleteInvoice extends RecordCommand {}

export const DeleteInvoiceHandler = handlerOf(DeleteInvoice, (work, { id }) => deleteInvoice(work, id));

export const draftHandlers = [
  CreateInvoiceHandler,
  UpdateInvoiceHandler,
  AddInvoiceLinesHandler,
  RemoveInvoiceLineHandler,
  DeleteInvoiceHandler,
];
