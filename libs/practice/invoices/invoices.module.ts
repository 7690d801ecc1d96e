import type { Area } from '../records/area';
import { Invoice } from './invoice';
import { invoiceHandlers } from './invoice.commands';
import { draftHandlers } from './invoice.draft.commands';
import { invoicesProjection } from './invoice.projection';
import {
  InvoiceActionsController,
  InvoiceDraftsController,
  InvoicesReadController,
} from './invoices.controllers';
import { ExportLedesHandler } from './ledes.query';

export const invoicesArea: Area = {
  definition: Invoice,
  write: {
    controllers: [InvoiceDraftsController, InvoiceActionsController],
    handlers: [...draftHandlers, ...invoiceHandlers],
  },
  read: { controllers: [InvoicesReadController], handlers: [ExportLedesHandler] },
  projections: [invoicesProjection],
};
