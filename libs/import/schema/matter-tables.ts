import { disbursementKinds } from '#practice/disbursement-codes/disbursement-code.events';
import { lineKinds } from '#practice/invoices/invoice.events';
import { itemTypes } from './reference-tables';
import { choice, code, plain, reference, required, table, text } from './table';

export const matterStates = ['Open', 'Closed', 'Archived'] as const;
export const billableStates = ['Pending', 'Finalised', 'Billed', 'WrittenOff'] as const;
export const invoiceStates = ['Draft', 'Issued', 'PartPaid', 'Paid', 'Voided', 'WrittenOff'] as const;

export const matter = table(
  'Matter',
  'What the firm does for a client.',
  [
    reference('ClientId', 'Client', 'For whom.', required),
    reference('DivisionId', 'Division', 'Which part of the firm.', required),
    reference('MatterTypeId', 'MatterType', 'What kind.'),
    reference('ResponsiblePersonId', 'Employee', 'Who answers for it.'),
    reference('ActingPersonId', 'Employee', 'Who does it.'),
    reference('AssistingPersonId', 'Employee', 'Who helps.'),
    code('MatterNumber', 50, 'Unique; empty: the next free number.'),
    text('Title', 500, 'What it is about.', required),
    plain('currency', 'Currency', 'The currency in which it is billed; empty: the base currency.'),
    plain('instant', 'DateOpened', 'When it began.', required),
    plain('instant', 'DateClosed', 'When it ended; needed once it is closed.'),
    choice('State', matterStates, 'A closed one has no unbilled work.', required),
    plain('money', 'FeeEstimate', 'What it is expected to cost.'),
  ],
  { kind: 'matter' },
);

export const workItem = table(
  'WorkItem',
  'Time and fixed fees.',
  [
    reference('MatterId', 'Matter', 'For which matter; empty: time that belongs to no matter.'),
    reference('EmployeeId', 'Employee', 'Whose work.', required),
    reference('TaskTypeId', 'TaskType', 'What kind of work.'),
    choice('ItemType', itemTypes, 'Charged by the hour or by the unit.', required),
    plain('instant', 'EntryDate', 'When it was done.', required),
    plain('ticks', 'DurationTicks', 'How long, in units of 100 ns; needed for timed work.'),
    plain(
      'quantity',
      'Units',
      'Units charged; empty: calculated from DurationTicks, or 1 for itemised work.',
    ),
    plain('rate', 'Rate', 'The rate for an hour of timed work, or for a unit of itemised work.', required),
    plain('currency', 'RateCurrency', 'The currency of the rate; must be the base currency.', required),
    text('Title', 500, 'What was done.'),
    choice('State', billableStates, 'Billed work is on a line of an issued invoice.', required),
    plain('boolean', 'IsBillable', 'Whether it is charged.', required),
    plain('date', 'WriteOffDate', 'The day on which it was written off; needed once it is.'),
  ],
  { kind: 'workitem' },
);

export const costRecovery = table(
  'CostRecovery',
  'Costs that are charged to clients.',
  [
    reference('MatterId', 'Matter', 'For which matter.', required),
    reference('DisbursementCodeId', 'DisbursementCode', 'What kind of cost.', required),
    reference('SupplierId', 'Supplier', 'From whom; needed for what was bought.'),
    choice(
      'Kind',
      disbursementKinds,
      'CostRecovery: a cost of the firm itself. Anticipated: an expected cost. Incurred: one that was bought.',
      required,
    ),
    plain('instant', 'EntryDate', 'When it arose.', required),
    plain('quantity', 'Quantity', 'How many.', required),
    plain('money', 'UnitAmount', 'What one costs, in the base currency, without tax.', required),
    text('Description', 500, 'What it was; empty: as its code says.'),
    choice(
      'State',
      billableStates,
      'A billed cost is on a line of an issued invoice; an Anticipated one is never billed.',
      required,
    ),
  ],
  { kind: 'costrecovery' },
);

export const invoice = table(
  'Invoice',
  'What clients are charged.',
  [
    reference('ClientId', 'Client', 'Who pays.', required),
    reference('MatterId', 'Matter', 'For which matter; one of the client.', required),
    code('Number', 50, 'Unique. A draft has none; every other invoice has one.'),
    plain('date', 'IssueDate', 'The day of its issue; a draft may have none.'),
    plain('date', 'DueDate', 'The last day to pay; empty: by the terms of the client.'),
    plain('currency', 'Currency', 'Must be the base currency.', required),
    choice('State', invoiceStates, 'Must agree with the payments.', required),
    plain('money', 'Total', 'The sum of its lines, tax included; compared with them when given.', {
      mayLack: true,
    }),
  ],
  { kind: 'invoice' },
);

export const invoiceLine = table('InvoiceLine', 'What an invoice charges for.', [
  reference('InvoiceId', 'Invoice', 'On which invoice.', required),
  reference('WorkItemId', 'WorkItem', 'The work that a Fee line charges; needed on such lines only.'),
  reference(
    'CostRecoveryId',
    'CostRecovery',
    'The cost that a CostRecovery or Disbursement line charges; needed on such lines only.',
  ),
  reference('TaxCodeId', 'TaxCode', 'How it is taxed; empty: the standard code of the region.'),
  choice('Kind', lineKinds, 'What it is.', required),
  text('Description', 500, 'What the client reads.'),
  plain('quantity', 'Units', 'How many units are charged.'),
  plain('rate', 'Rate', 'The price of one unit.'),
  plain('money', 'Amount', 'Without tax; negative for a discount; empty: what the work or cost is worth.'),
]);

export const payment = table('Payment', 'What clients have paid.', [
  reference('InvoiceId', 'Invoice', 'Which invoice.', required),
  plain('date', 'Date', 'When.', required),
  plain('money', 'Amount', 'How much; more than nothing.', required),
  text('Reference', 200, "The payer's reference."),
]);
