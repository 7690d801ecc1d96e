import { CLIENT, type Planter } from './faulty-planter';

/** Plants mistakes in invoices, their lines and their payments, each in one or two invoices of its own. */
export async function plantInvoices(planter: Planter): Promise<void> {
  await plantHeads(planter);
  await plantSources(planter);
  await plantLines(planter);
  await plantPayments(planter);
}

async function plantHeads(planter: Planter): Promise<void> {
  await planter.bill('F-NUMBERLESS', { invoice: { Number: null } });
  planter.expect('wrong_state', 'Invoice', 'F-NUMBERLESS', 'Number');
  await planter.bill('F-DAYLESS', { invoice: { IssueDate: null } });
  planter.expect('wrong_state', 'Invoice', 'F-DAYLESS', 'IssueDate');
  await planter.invoice('F-NUMBERED', { State: 'Draft' });
  planter.expect('wrong_state', 'Invoice', 'F-NUMBERED', 'Number');
  await planter.invoice('F-EMPTY');
  planter.expect('wrong_state', 'Invoice', 'F-EMPTY', 'State');
  await planter.bill('F-DUE', { invoice: { DueDate: '2025-06-01' } });
  planter.expect('period_reversed', 'Invoice', 'F-DUE', 'DueDate');
  await planter.bill('F-TOTAL', { invoice: { Total: 300 } });
  planter.expect('total_differs', 'Invoice', 'F-TOTAL', 'Total');
  await planter.newClient('F-OTHER');
  await planter.bill('F-MISTAKEN', { invoice: { ClientId: 'F-OTHER' } });
  planter.expect('matter_differs', 'Invoice', 'F-MISTAKEN', 'ClientId');
  await planter.invoice('F-LENGTHY', { State: 'Draft', Number: null });
  for (let index = 0; index <= 1_000; index++)
    await planter.line(`F-LENGTHY/${index}`, 'F-LENGTHY', { Kind: 'Text', Description: 'One more' });
  planter.expect('too_many', 'Invoice', 'F-LENGTHY', null);
  await planter.invoice('F-GIVEAWAY');
  await planter.line('F-GIVEAWAY/L', 'F-GIVEAWAY', { Kind: 'Discount', Amount: -10 });
  planter.expect('out_of_range', 'Invoice', 'F-GIVEAWAY', null);
}

async function plantSources(planter: Planter): Promise<void> {
  await planter.bill('F-AHEAD', { work: { State: 'Pending' } });
  planter.expect('wrong_state', 'WorkItem', 'F-AHEAD/W', 'State');
  await planter.bill('F-HASTY', { invoice: { State: 'Draft', Number: null }, work: { State: 'Pending' } });
  planter.expect('wrong_state', 'WorkItem', 'F-HASTY/W', 'State');
  await planter.bill('F-DOUBLE');
  await planter.invoice('F-DOUBLE-2');
  await planter.line('F-DOUBLE-2/L', 'F-DOUBLE-2', { WorkItemId: 'F-DOUBLE/W' });
  for (const id of ['F-DOUBLE/L', 'F-DOUBLE-2/L'])
    planter.expect('wrong_state', 'InvoiceLine', id, 'WorkItemId');
  // After the invoice was voided, its work can be billed again.
  await planter.bill('F-AGAIN', { invoice: { State: 'Voided' } });
  await planter.invoice('F-AGAIN-2');
  await planter.line('F-AGAIN-2/L', 'F-AGAIN-2', { WorkItemId: 'F-AGAIN/W' });
  await planter.bill('F-FORGIVEN', { work: { IsBillable: false } });
  planter.expect('wrong_state', 'InvoiceLine', 'F-FORGIVEN/L', 'WorkItemId');
  await planter.matter('F-BESIDE', { ClientId: CLIENT });
  await planter.bill('F-STRAY', { work: { MatterId: 'F-BESIDE' } });
  planter.expect('matter_differs', 'InvoiceLine', 'F-STRAY/L', 'WorkItemId');
}

async function plantLines(planter: Planter): Promise<void> {
  await planter.invoice('F-KINDS');
  const lines: [id: string, cells: Parameters<Planter['line']>[2], column: string][] = [
    ['F-SOURCELESS', { Amount: 10 }, 'WorkItemId'],
    ['F-COSTLESS', { Kind: 'Disbursement', Amount: 10 }, 'CostRecoveryId'],
    ['F-TEXT', { Kind: 'Text', Amount: 10 }, 'Kind'],
  ];
  for (const [id, cells, column] of lines) {
    await planter.line(id, 'F-KINDS', cells);
    planter.expect('wrong_kind', 'InvoiceLine', id, column);
  }
  await planter.bill('F-OFF');
  await planter.line('F-OFF/2', 'F-OFF', { Kind: 'Discount' });
  planter.expect('required', 'InvoiceLine', 'F-OFF/2', 'Amount');

  await planter.bill('F-NEGATIVE');
  await planter.work('F-NEGATIVE/W2', { State: 'Billed' });
  await planter.line('F-NEGATIVE/2', 'F-NEGATIVE', { WorkItemId: 'F-NEGATIVE/W2', Amount: -5 });
  planter.expect('out_of_range', 'InvoiceLine', 'F-NEGATIVE/2', 'Amount');
  planter.expect('charged_otherwise', 'InvoiceLine', 'F-NEGATIVE/2', 'Amount');
  await planter.bill('F-LESS', { line: { Amount: 150 } });
  planter.expect('charged_otherwise', 'InvoiceLine', 'F-LESS/L', 'Amount');
  // Half of the units, so half of the amount.
  await planter.bill('F-HALF', { line: { Units: 5 }, invoice: { Total: 120 } });
  planter.expect('charged_otherwise', 'InvoiceLine', 'F-HALF/L', 'Amount');
  await planter.bill('F-SUM', { line: { Units: 10, Rate: 150, Amount: 200 } });
  planter.expect('total_differs', 'InvoiceLine', 'F-SUM/L', 'Amount');
  await planter.bill('F-FINE', { line: { Amount: 199.9951 } });
  planter.expect('rounded', 'InvoiceLine', 'F-FINE/L', 'Amount');

  await planter.add('TaxCode', 'F-FUTURE', {
    Code: 'F-FUTURE',
    Name: 'To come',
    Scheme: 'VAT',
    Category: 'Reduced',
  });
  await planter.add('TaxRate', 'F-FUTURE/1', { TaxCodeId: 'F-FUTURE', Percent: 5, FromDate: '2026-04-01' });
  await planter.bill('F-UNTAXED', { line: { TaxCodeId: 'F-FUTURE' } });
  planter.expect('no_tax_rate', 'InvoiceLine', 'F-UNTAXED/L', 'TaxCodeId');
}

async function plantPayments(planter: Planter): Promise<void> {
  const states: [id: string, state: string, paid: number | null][] = [
    ['F-PAID', 'Paid', null],
    ['F-ISSUED', 'Issued', 100],
    ['F-PART', 'PartPaid', 240],
    ['F-OVERPAID', 'Paid', 250],
    ['F-BAD', 'WrittenOff', 240],
  ];
  for (const [id, state, paid] of states) {
    await planter.bill(id, { invoice: { State: state } });
    if (paid !== null) await planter.payment(`${id}/P`, id, paid);
    planter.expect('payments_differ', 'Invoice', id, 'State');
  }
  await planter.bill('F-VOID', { invoice: { State: 'Voided' }, work: { State: 'Finalised' } });
  await planter.payment('F-VOID/P', 'F-VOID', 10);
  planter.expect('payments_differ', 'Payment', 'F-VOID/P', 'InvoiceId');
  await planter.bill('F-NOUGHT');
  await planter.payment('F-NOUGHT/P', 'F-NOUGHT', 0);
  planter.expect('out_of_range', 'Payment', 'F-NOUGHT/P', 'Amount');
  await planter.bill('F-LATE-PAID', { invoice: { State: 'Paid' } });
  await planter.payment('F-LATE-PAID/P', 'F-LATE-PAID', 240, { Date: '2026-02-01' });
  planter.expect('after_cutover', 'Payment', 'F-LATE-PAID/P', 'Date');
}
