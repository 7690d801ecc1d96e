import type { Area } from '../records/area';
import { Invoice } from './invoice';
import { invoiceHandlers } from './invoice.commands';
import { draftHandlers } from './invoice.draft.commands';
import { invoicesProjection } from './invoice.projection';
import { InvoicesController, InvoicesReadController, InvoicesWriteController } from './invoices.controllers';
import { ExportLedesHandler } from './ledes.query';

export const invoicesArea: Area = {
  definition: Invoice,
  write: {
    controllers: [InvoicesWriteController, InvoicesController],
    handlers: [...draftHandlers, ...invoiceHandlers],
  },
  read: { controllers: [InvoicesReadController], handlers: [ExportLedesHandler] },
  projections: [invoicesProjection],
};
