import { checkedColumn, missing } from '../checked-names';
import type { Rule } from '../rule';
import { oneName } from '../tenant/edited-records';
import { BEYOND_BOUNDS } from '../values';

/** The columns that each kind of line needs or must leave empty. */
const kindRules: readonly Rule[] = [
  {
    code: 'wrong_kind',
    table: 'InvoiceLine',
    column: 'WorkItemId',
    message: 'A Fee line needs a WorkItemId; fill it in. If the work has no row in WorkItem, add one.',
    rows: `from invoice_lines t where t.kind = 'Fee' and ${missing('work_item_id')} and t.cost_recovery_id is null`,
  },
  {
    code: 'wrong_kind',
    table: 'InvoiceLine',
    column: 'CostRecoveryId',
    message: 'A {} line needs a CostRecoveryId; fill it in. If the cost has no row in CostRecovery, add one.',
    detail: 't.kind',
    rows: `from invoice_lines t where t.kind in ('CostRecovery', 'Disbursement')
             and ${missing('cost_recovery_id')} and t.work_item_id is null`,
  },
  {
    code: 'wrong_kind',
    table: 'InvoiceLine',
    column: 'CostRecoveryId',
    message: 'A {} line cannot charge a cost; empty CostRecoveryId or change the Kind.',
    detail: 't.kind',
    rows: "from invoice_lines t where t.kind in ('Fee', 'Discount', 'Text') and t.cost_recovery_id is not null",
  },
  {
    code: 'wrong_kind',
    table: 'InvoiceLine',
    column: 'WorkItemId',
    message: 'A {} line cannot charge work; empty WorkItemId or change the Kind.',
    detail: 't.kind',
    rows: `from invoice_lines t where t.kind in ('CostRecovery', 'Disbursement', 'Discount', 'Text')
             and t.work_item_id is not null`,
  },
  {
    code: 'wrong_kind',
    table: 'InvoiceLine',
    column: 'Kind',
    message: 'A line of Text has only a description; empty its amounts and tax code, or change the Kind.',
    // A zero says nothing.
    rows: `from invoice_lines t where t.kind = 'Text' and (coalesce(t.units, 0) <> 0 or coalesce(t.rate, 0) <> 0
             or coalesce(t.amount, 0) <> 0 or t.tax_code_id is not null)`,
  },
  {
    code: 'required',
    table: 'InvoiceLine',
    column: 'Amount',
    message: 'A Discount needs an Amount or a Rate; fill one of them in.',
    rows: `from invoice_lines t where t.kind = 'Discount' and ${missing('amount')} and ${missing('rate')}`,
  },
];

/** The work or cost that a line charges must be on the matter of its invoice, and billable. */
const sourceRules = [
  ['WorkItemId', 'work', 'it has no MatterId, or its IsBillable is 0'],
  ['CostRecoveryId', 'cost', 'its Kind is Anticipated'],
].flatMap(([column, called, why]): Rule[] => [
  {
    code: 'matter_differs',
    table: 'InvoiceLine',
    column,
    message: `The ${called} is not on the matter of the invoice; correct one of them.`,
    rows: `from invoice_lines t join ${called}_values w on w.import_id = t.${checkedColumn(column)}
           join invoices i on i.import_id = t.invoice_id
           where w.matter_id <> i.matter_id
             and ${oneName('Matter', 'w.matter_id')} <> ${oneName('Matter', 'i.matter_id')}`,
  },
  {
    code: 'wrong_state',
    table: 'InvoiceLine',
    column,
    message: `The ${called} cannot be billed: ${why}. Correct it, or remove the line.`,
    rows: `from invoice_lines t join ${called}_values w on w.import_id = t.${checkedColumn(column)} where not w.is_billable`,
  },
]);

const amountRules: readonly Rule[] = [
  {
    code: 'out_of_range',
    table: 'InvoiceLine',
    column: 'Amount',
    message: 'Only a Discount can be negative; correct the Amount or the Kind.',
    rows: `from charges t where t.kind in ('Fee', 'CostRecovery', 'Disbursement') and t.amount < 0`,
  },
  {
    code: 'out_of_range',
    table: 'InvoiceLine',
    column: 'Amount',
    message: 'The line comes to {}, or to more units than can be charged; correct Units and Amount.',
    detail: 't.amount',
    rows: `from charges t where not t.is_text and ${BEYOND_BOUNDS}`,
  },
  {
    code: 'total_differs',
    table: 'InvoiceLine',
    column: 'Amount',
    message: 'Units × Rate is {}, which is not the Amount; correct one of the three.',
    detail: 't.stated',
    rows: 'from charges t where not t.is_text and t.is_stated and abs(t.amount) <> abs(t.stated)',
  },
  {
    code: 'charged_otherwise',
    table: 'InvoiceLine',
    column: 'Amount',
    message: 'The work or cost that the line charges is worth {}; the difference is written off or up.',
    detail: 't.worth',
    rows: "from charges t where t.invoice_state not in ('Draft', 'Voided') and t.source is not null and t.amount <> t.worth",
  },
  {
    code: 'no_tax_rate',
    table: 'InvoiceLine',
    column: 'TaxCodeId',
    message:
      'There is no tax code for the line, or its tax code has no rate on the day of the invoice; name one that has.',
    // A code that was not found has a finding already.
    rows: `from charges t where not t.is_text and t.percent is null and not t.is_tax_unknown
             and (t.invoice_state = 'Draft' or t.issue_date is not null)`,
  },
];

export const lineRules: readonly Rule[] = [...kindRules, ...sourceRules, ...amountRules];
