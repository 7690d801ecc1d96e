import * as cost from '../cost-recoveries/cost-recovery.commands';
import * as invoice from '../invoices/invoice.commands';
import * as draft from '../invoices/invoice.draft.commands';
import type { InvoiceInput, LineInput } from '../invoices/invoice.input';
import * as workItem from '../work-items/work-item.commands';
import type { Do } from './work-life';

const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });

interface BillingParts {
  clientId: string;
  matterId: string;
  employeeId: string;
  taskTypeId: string;
  taxCodeId: string;
  disbursementCodeId: string;
  supplierId: string;
}

/** Causes every type of event of invoices, and every type that invoices cause for the records that they charge. */
export async function liveInvoices(act: Do, parts: BillingParts): Promise<void> {
  const { clientId, matterId, employeeId, taskTypeId, taxCodeId, disbursementCodeId, supplierId } = parts;
  const record = async (units: number) => {
    const item = { matterId, employeeId, taskTypeId, itemType: 0 as const, units, rate: gbp(210) };
    const entry = { entryDate: '2025-06-12T10:00:00.000Z', durationTicks: 36_000_000_000 };
    return (await act(workItem.RecordWorkItem, workItem.RecordWorkItemHandler, { ...item, ...entry })).record
      .id;
  };
  const bought = async () => {
    const body = { matterId, disbursementCodeId, supplierId, taxCodeId, kind: 'Incurred' as const };
    const entry = { entryDate: '2025-06-13T10:00:00.000Z', quantity: 2, unitAmount: gbp(3) };
    return (await act(cost.RecordCostRecovery, cost.RecordCostRecoveryHandler, { ...body, ...entry })).record
      .id;
  };
  const create = async (more: Partial<InvoiceInput>) => {
    const body = { clientId, matterId, ...more };
    return (await act(draft.CreateInvoice, draft.CreateInvoiceHandler, body)).record.id;
  };
  const [item, search] = [await record(7), await bought()];
  const lines: LineInput[] = [
    { kind: 'Fee', sourceId: item, amount: gbp(140), units: 6.5, rate: gbp(210), taxCodeId },
    { kind: 'Disbursement', sourceId: search, description: 'Register' },
    { kind: 'Text', description: 'With thanks' },
  ];
  const id = await create({ lines, externalReference: 'I1', issueDate: '2025-06-30', dueDate: '2025-07-30' });
  await act(draft.UpdateInvoice, draft.UpdateInvoiceHandler, id, {
    issueDate: '2025-06-29',
    dueDate: '2025-07-29',
    externalReference: 'I2',
    lines,
  });
  await act(draft.AddInvoiceLines, draft.AddInvoiceLinesHandler, id, {
    lines: [{ kind: 'Discount', description: 'Early payment', amount: 5 }],
  });
  await act(draft.RemoveInvoiceLine, draft.RemoveInvoiceLineHandler, id, 7);
  await act(invoice.IssueInvoice, invoice.IssueInvoiceHandler, id, {});
  await act(invoice.UnissueInvoice, invoice.UnissueInvoiceHandler, id, { date: '2025-07-02' });
  await act(invoice.IssueInvoice, invoice.IssueInvoiceHandler, id, { issueDate: '2025-07-03' });
  for (const amount of [100, gbp(10)]) {
    const payment = { amount, date: '2025-07-10', reference: 'BACS 1' };
    await act(invoice.PayInvoice, invoice.PayInvoiceHandler, id, payment);
  }
  await act(invoice.ReverseInvoicePayment, invoice.ReverseInvoicePaymentHandler, id, 2, {
    date: '2025-07-11',
    reason: 'Bounced',
  });
  await act(invoice.WriteOffInvoice, invoice.WriteOffInvoiceHandler, id, {
    date: '2025-08-01',
    reason: 'Insolvent',
  });
  const paid = await create({ lines: [{ kind: 'Fee', description: 'Fixed fee', amount: 100, taxCodeId }] });
  await act(invoice.IssueInvoice, invoice.IssueInvoiceHandler, paid, { issueDate: '2025-07-03' });
  const { total } = (await act(draft.UpdateInvoice, draft.UpdateInvoiceHandler, paid, {})).record.data;
  await act(invoice.PayInvoice, invoice.PayInvoiceHandler, paid, {
    amount: Number(total),
    date: '2025-07-10',
    reference: 'BACS 2',
  });
  const charged = [await record(2), await bought()];
  const mistaken = await create({
    lines: [
      { kind: 'Fee', sourceId: charged[0] },
      { kind: 'CostRecovery', sourceId: charged[1], taxCodeId },
    ],
  });
  await act(invoice.IssueInvoice, invoice.IssueInvoiceHandler, mistaken, { issueDate: '2025-07-03' });
  await act(invoice.VoidInvoice, invoice.VoidInvoiceHandler, mistaken, { date: '2025-07-04' });
  const dropped = await create({ lines: [{ kind: 'Fee', sourceId: charged[0] }] });
  await act(draft.AddInvoiceLines, draft.AddInvoiceLinesHandler, dropped, { unbilledUntil: '2025-12-31' });
  await act(draft.DeleteInvoice, draft.DeleteInvoiceHandler, dropped);
}
