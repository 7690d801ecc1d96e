import { scopes } from '#practice/applicable-rates/applicable-rate.events';
import { disbursementKinds } from '#practice/disbursement-codes/disbursement-code.events';
import { pers } from '#practice/rate-sets/rate-set.events';
import { taxCategories, taxSchemes } from '#practice/tax-codes/tax-code.events';
import { choice, code, plain, reference, required, table, text } from './table';

/** The source's names for item types, in the order of the API's 0 and 1. */
export const itemTypes = ['Timed', 'Itemised'] as const;

export const division = table(
  'Division',
  'Parts of the firm.',
  [text('Code', 20, 'A short code.'), text('Name', 200, 'Its name.', required)],
  { kind: 'division' },
);

export const matterType = table(
  'MatterType',
  'Kinds of matters, in two levels at most.',
  [
    text('Code', 20, 'A short code.'),
    text('Name', 200, 'Its name.', required),
    reference(
      'ParentId',
      'MatterType',
      'The type to which this one belongs. It must not have a parent itself.',
    ),
  ],
  { kind: 'mattertype' },
);

export const role = table(
  'Role',
  'Roles of the firm beside client, employee and supplier.',
  [
    text('Code', 20, "The source system's code. It is not imported, as roles have no code."),
    text('Name', 100, 'Its name; unique however it is capitalised.', required),
  ],
  { kind: 'role' },
);

export const taskType = table(
  'TaskType',
  'What work is recorded as.',
  [
    code('Code', 20, 'Its code; unique.', required),
    text('Name', 200, 'Its name.', required),
    choice('ItemType', itemTypes, 'The kind of work items for which it can be used; empty: both.'),
    text('PhaseCode', 20, 'Code of a published set, UTBMS or EW-J.'),
    text('TaskCode', 20, 'Code of a published set.'),
    text('ActivityCode', 20, 'Code of a published set.'),
    text('Narration', 500, 'The title of work items of this type that have none of their own.'),
    plain('boolean', 'IsBillable', 'Whether such work is charged.', required),
  ],
  { kind: 'tasktype' },
);

export const taxCode = table(
  'TaxCode',
  'Codes by which invoices are taxed.',
  [
    code('Code', 20, 'Its code; unique.', required),
    text('Name', 200, 'Its name.', required),
    choice('Scheme', taxSchemes, 'The tax of the region.', required),
    choice('Category', taxCategories, 'How the tax return counts it.', required),
  ],
  { kind: 'taxcode' },
);

export const taxRate = table('TaxRate', 'The dated rates of a tax code; they do not overlap.', [
  reference(
    'TaxCodeId',
    'TaxCode',
    'The code that it is a rate of; only Standard and Reduced ones have rates.',
    required,
  ),
  plain('percent', 'Percent', 'Percent of the net amount: 20 for a fifth.', required),
  plain('date', 'FromDate', 'Its first day.', required),
  plain('date', 'ToDate', 'Its last day; empty: until further notice.'),
]);

export const disbursementCode = table(
  'DisbursementCode',
  'Kinds of costs that are charged to clients.',
  [
    code('Code', 20, 'Its code; unique.', required),
    text('Name', 200, 'Its name.', required),
    choice('Kind', disbursementKinds, 'The kind of costs for which it can be used; empty: any.'),
    reference('TaxCodeId', 'TaxCode', 'How such costs are taxed.', required),
    plain('money', 'UnitAmount', 'What one of it costs, in the base currency.'),
    text('Description', 500, 'The description of such costs that have none of their own.'),
  ],
  { kind: 'disbursementcode' },
);

export const rateSet = table(
  'RateSet',
  'Lists of charges. The charges are in RateSetEntry.',
  [
    text('Name', 200, 'Its name.', required),
    plain('currency', 'Currency', 'The currency of every entry.', required),
    plain('boolean', 'IsDefault', "The firm's default; one set at most.", required),
  ],
  { kind: 'rateset' },
);

export const rateSetEntry = table(
  'RateSetEntry',
  'The charges of the rate sets. A charge applies to work that fits all of its columns that are not empty.',
  [
    reference('RateSetId', 'RateSet', 'The list that it is in.', required),
    reference('EmployeeId', 'Employee', 'For the work of this employee.'),
    reference('TaskTypeId', 'TaskType', 'For work of this type.'),
    reference('MatterTypeId', 'MatterType', 'For work on matters of this type.'),
    text('BillingGrade', 50, 'For the work of employees of this grade.'),
    text('JobTitle', 100, 'For the work of employees of this title.'),
    plain('rate', 'Rate', 'The charge.', required),
    choice('Per', pers, 'An hour of timed work, or a unit of itemised work.', required),
  ],
);

export const applicableRate = table(
  'ApplicableRate',
  'Charges that were agreed for a client or a matter.',
  [
    choice('Scope', scopes, 'Whether it is for a matter or for all matters of a client.', required),
    reference('ScopeId', ['Client', 'Matter'], 'The client or the matter.', required),
    reference('EmployeeId', 'Employee', 'For the work of this employee; empty: of any.'),
    reference('TaskTypeId', 'TaskType', 'For work of this type; empty: of any.'),
    text('BillingGrade', 50, 'For the work of employees of this grade; empty: of any.'),
    plain('rate', 'Rate', 'The charge, in the base currency.', required),
    choice('Per', pers, 'An hour of timed work, or a unit of itemised work.', required),
    plain('date', 'EffectiveFrom', 'The first day of work to which it applies.', required),
    plain('date', 'EffectiveTo', 'The last such day; empty: until further notice.'),
  ],
  { kind: 'applicablerate' },
);
