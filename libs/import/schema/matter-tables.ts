import { disbursementKinds } from '#practice/disbursement-codes/disbursement-code.events';
import { lineKinds } from '#practice/invoices/invoice.events';
import { itemTypes } from './reference-tables';
import { choice, code, ofRow, plain, reference, required, table, text } from './table';

export const matterStates = ['Open', 'Closed', 'Archived'] as const;
export const billableStates = ['Pending', 'Finalised', 'Billed', 'WrittenOff'] as const;
export const invoiceStates = ['Draft', 'Issued', 'PartPaid', 'Paid', 'Voided', 'WrittenOff'] as const;

export const matter = table(
  'Matter',
  'What the firm does for a client.',
  [
    reference('ClientId', 'Client', 'The client for whom the firm acts.', required),
    reference('DivisionId', 'Division', 'The division that does the work.', required),
    reference('MatterTypeId', 'MatterType', 'The type of the matter.'),
    reference('ResponsiblePersonId', 'Employee', 'The employee who is responsible for it.'),
    reference('ActingPersonId', 'Employee', 'The employee who does the work.'),
    reference('AssistingPersonId', 'Employee', 'The employee who assists.'),
    code('MatterNumber', 50, 'The number, which must be unique. Empty: the next number is assigned.'),
    text('Title', 500, 'What it is about.', required),
    plain(
      'currency',
      'Currency',
      'The currency in which it is billed. It must be the base currency, which empty means too.',
    ),
    plain('instant', 'DateOpened', 'When it was opened, in UTC.', required),
    plain('instant', 'DateClosed', 'When it was closed, in UTC. Required unless State is Open.'),
    choice(
      'State',
      matterStates,
      'A matter that is Closed or Archived has no work or costs that are still to be billed, and no draft invoice.',
      required,
    ),
    plain('money', 'FeeEstimate', 'The fees that were estimated, in the base currency.'),
  ],
  { kind: 'matter' },
);

export const workItem = table(
  'WorkItem',
  'Work that was recorded: time and fixed fees.',
  [
    reference('MatterId', 'Matter', 'The matter that the work was done on. Empty: work on no matter.'),
    reference('EmployeeId', 'Employee', 'The employee who did the work.', required),
    reference('TaskTypeId', 'TaskType', 'The task type of the work.'),
    choice('ItemType', itemTypes, 'Timed: charged by the hour. Itemised: charged by the unit.', required),
    plain('instant', 'EntryDate', 'When the work was done, in UTC.', required),
    plain(
      'ticks',
      'DurationTicks',
      'The duration in ticks of 100 ns: 36,000,000,000 ticks are an hour. Required for timed work.',
    ),
    plain(
      'quantity',
      'Units',
      'The number of units charged. Empty: derived from DurationTicks for timed work, and 1 for itemised work.',
    ),
    plain('rate', 'Rate', 'The rate for one hour of timed work, or for one unit of itemised work.', required),
    plain('currency', 'RateCurrency', 'The currency of the rate. It must be the base currency.', required),
    text('Title', 500, 'What was done. Empty: the Narration of the task type.'),
    choice(
      'State',
      billableStates,
      'Work that is Billed must be on a line of an issued invoice; other work must not.',
      required,
    ),
    plain('boolean', 'IsBillable', 'Whether it can be charged to the client.', required),
    plain('date', 'WriteOffDate', 'The day on which it was written off. Required if State is WrittenOff.'),
  ],
  { kind: 'workitem' },
);

export const costRecovery = table(
  'CostRecovery',
  'Costs that are charged to clients.',
  [
    reference('MatterId', 'Matter', 'The matter that the cost is for.', required),
    reference('DisbursementCodeId', 'DisbursementCode', 'The disbursement code of the cost.', required),
    reference(
      'SupplierId',
      'Supplier',
      'The supplier from whom it was bought. Required if Kind is Incurred.',
    ),
    choice(
      'Kind',
      disbursementKinds,
      'CostRecovery: a cost of the firm itself. Anticipated: an expected cost. Incurred: bought from a supplier.',
      required,
    ),
    plain('instant', 'EntryDate', 'When the cost arose, in UTC.', required),
    plain('quantity', 'Quantity', 'How many are charged.', required),
    plain('money', 'UnitAmount', 'The price of one, without tax, in the base currency.', required),
    text(
      'Description',
      500,
      'What the cost was for. Empty: the Description of the disbursement code, or else its Name.',
    ),
    choice(
      'State',
      billableStates,
      'A cost that is Billed must be on a line of an issued invoice; other costs must not. A cost of the kind ' +
        'Anticipated cannot be billed.',
      required,
    ),
  ],
  { kind: 'costrecovery' },
);

export const invoice = table(
  'Invoice',
  'The invoices to clients.',
  [
    reference('ClientId', 'Client', 'The client who pays.', required),
    reference('MatterId', 'Matter', 'The matter that it is for, which must be one of the client.', required),
    code(
      'Number',
      50,
      'The invoice number, which must be unique. Required unless State is Draft; a draft has none.',
    ),
    plain('date', 'IssueDate', 'The day on which it was issued. Required unless State is Draft.'),
    plain(
      'date',
      'DueDate',
      'The last day to pay. Empty: the IssueDate plus the PaymentTermsDays of the client.',
    ),
    plain('currency', 'Currency', 'The currency of the invoice. It must be the base currency.', required),
    choice(
      'State',
      invoiceStates,
      'It must agree with the payments. Issued: nothing is paid; if its total is 0, it arrives as Paid. PartPaid: a ' +
        'part is paid. Paid: all is paid. WrittenOff: what is not paid was given up. A Draft or Voided invoice has no ' +
        'payments.',
      required,
    ),
    plain(
      'money',
      'Total',
      'The total of the lines, tax included. If it is given, it is compared with the lines.',
      { mayLack: true },
    ),
  ],
  { kind: 'invoice' },
);

export const invoiceLine = table('InvoiceLine', 'The lines of the invoices.', [
  reference('InvoiceId', 'Invoice', 'The invoice to which the line belongs.', { ...required, ...ofRow }),
  reference(
    'WorkItemId',
    'WorkItem',
    'The work that the line charges. Required if Kind is Fee, and otherwise empty.',
    ofRow,
  ),
  reference(
    'CostRecoveryId',
    'CostRecovery',
    'The cost that the line charges. Required if Kind is CostRecovery or Disbursement, and otherwise empty.',
    ofRow,
  ),
  reference(
    'TaxCodeId',
    'TaxCode',
    'The tax code of the line. Empty: for a cost, that of its disbursement code; for other lines, that of the matter ' +
      'or the client if the tenant has set one, or else the Standard tax code of the region.',
  ),
  choice(
    'Kind',
    lineKinds,
    'What the line charges. A Discount is subtracted. A Text has only a Description.',
    required,
  ),
  text('Description', 500, 'The text that the client reads.'),
  plain(
    'quantity',
    'Units',
    'The number of units charged. Empty: those of the work or cost, in proportion to the Amount if that is given.',
  ),
  plain('rate', 'Rate', 'The rate for one hour of timed work, or else for one unit.'),
  plain(
    'money',
    'Amount',
    'The amount without tax. Empty: Units × Rate if there is a Rate, or else what the work or cost is worth, in ' +
      'proportion to the Units if they are given. The Amount of a Discount is subtracted, whatever its sign.',
  ),
]);

export const payment = table('Payment', 'The payments of the invoices.', [
  reference('InvoiceId', 'Invoice', 'The invoice that was paid.', { ...required, ...ofRow }),
  plain('date', 'Date', 'The day of the payment.', required),
  plain('money', 'Amount', 'The amount that was paid, which must be more than 0.', required),
  text('Reference', 200, "The payer's reference."),
]);
