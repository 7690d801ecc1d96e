import { column, reference, stateTable } from '../records/state-table';
import { Invoice, type InvoiceState } from './invoice';

export const invoicesProjection = stateTable(Invoice, {
  name: 'invoices',
  version: 2,
  columns: {
    client_id: reference<InvoiceState>(({ clientId }) => clientId),
    matter_id: reference<InvoiceState>(({ matterId }) => matterId),
    number: column<InvoiceState>('text', ({ number }) => number),
    invoice_state: column<InvoiceState>('smallint', ({ state }) => state),
    issue_date: column<InvoiceState>('date', ({ issueDate }) => issueDate),
    due_date: column<InvoiceState>('date', ({ dueDate }) => dueDate),
    currency: column<InvoiceState>('text', ({ currency }) => currency),
    net: column<InvoiceState>('numeric', ({ net }) => net),
    tax: column<InvoiceState>('numeric', ({ tax }) => tax),
    total: column<InvoiceState>('numeric', ({ total }) => total),
    balance: column<InvoiceState>('numeric', ({ balance }) => balance),
  },
  words: ({ number }) => [number],
});
