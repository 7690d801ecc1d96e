import { scopes } from '#practice/applicable-rates/applicable-rate.events';
import { disbursementKinds } from '#practice/disbursement-codes/disbursement-code.events';
import { pers } from '#practice/rate-sets/rate-set.events';
import { taxCategories, taxSchemes } from '#practice/tax-codes/tax-code.events';
import { choice, code, ofRow, plain, reference, required, table, text } from './table';

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
  'Kinds of matters, in at most two levels.',
  [
    text('Code', 20, 'A short code.'),
    text('Name', 200, 'Its name.', required),
    reference(
      'ParentId',
      'MatterType',
      'The type to which this one belongs, which must have no parent itself.',
    ),
  ],
  { kind: 'mattertype' },
);

export const role = table(
  'Role',
  'The roles that the firm gives to people and organisations, in addition to client, employee and supplier.',
  [
    text('Code', 20, 'The code in the source system. It is not imported, because roles have no code.'),
    text('Name', 100, 'Its name. It must be unique; upper and lower case make no difference.', required),
  ],
  { kind: 'role' },
);

export const taskType = table(
  'TaskType',
  'The types of work that can be recorded.',
  [
    code('Code', 20, 'Its code, which must be unique.', required),
    text('Name', 200, 'Its name.', required),
    choice('ItemType', itemTypes, 'The type of the work items that it is for. Empty: both.'),
    text('PhaseCode', 20, 'A code of a published code set, UTBMS or EW-J.'),
    text('TaskCode', 20, 'A code of a published code set, UTBMS or EW-J.'),
    text('ActivityCode', 20, 'A code of a published code set, UTBMS or EW-J.'),
    text('Narration', 500, 'The title of a work item of this type that is given none.'),
    plain('boolean', 'IsBillable', 'Whether such work is charged to clients.', required),
  ],
  { kind: 'tasktype' },
);

export const taxCode = table(
  'TaxCode',
  'The tax codes by which invoices are taxed.',
  [
    code('Code', 20, 'Its code, which must be unique.', required),
    text('Name', 200, 'Its name.', required),
    choice('Scheme', taxSchemes, "The tax. It must be that of the tenant's region.", required),
    choice('Category', taxCategories, 'How a tax return counts it.', required),
  ],
  { kind: 'taxcode' },
);

export const taxRate = table(
  'TaxRate',
  'The rates of the tax codes, with their dates. Only one rate of a code may be in force on a day.',
  [
    reference(
      'TaxCodeId',
      'TaxCode',
      'The tax code of the rate. Only tax codes of the categories Standard and Reduced have rates, and must have at ' +
        'least one.',
      { ...required, ...ofRow },
    ),
    plain('percent', 'Percent', 'The rate as a percentage of the net amount: 20 means a fifth.', required),
    plain('date', 'FromDate', 'The first day of the rate.', required),
    plain('date', 'ToDate', 'The last day of the rate. Empty: until further notice.'),
  ],
);

export const disbursementCode = table(
  'DisbursementCode',
  'Kinds of costs that are charged to clients.',
  [
    code('Code', 20, 'Its code, which must be unique.', required),
    text('Name', 200, 'Its name.', required),
    choice(
      'Kind',
      disbursementKinds,
      'The kind of the costs that it is for. CostRecovery: costs of the firm itself. Anticipated: expected costs. ' +
        'Incurred: bought from a supplier. Empty: any kind.',
    ),
    reference('TaxCodeId', 'TaxCode', 'The tax code by which such costs are taxed.', required),
    plain('money', 'UnitAmount', 'The price of one, in the base currency.'),
    text('Description', 500, 'The description of a cost with this code that is given none.'),
  ],
  { kind: 'disbursementcode' },
);

export const rateSet = table(
  'RateSet',
  'Rate sets, which are lists of rates.',
  [
    text('Name', 200, 'Its name.', required),
    plain('currency', 'Currency', 'The currency of all its entries. It must be the base currency.', required),
    plain('boolean', 'IsDefault', "Whether it is the firm's default rate set. At most one can be.", required),
  ],
  { kind: 'rateset' },
);

export const rateSetEntry = table(
  'RateSetEntry',
  'The entries of the rate sets. An entry is for work that has all the properties that it names; an empty column ' +
    'names none.',
  [
    reference('RateSetId', 'RateSet', 'The rate set to which it belongs.', { ...required, ...ofRow }),
    reference('EmployeeId', 'Employee', 'The rate is only for work of this employee.'),
    reference('TaskTypeId', 'TaskType', 'The rate is only for work of this type.'),
    reference('MatterTypeId', 'MatterType', 'The rate is only for work on matters of this type.'),
    text('BillingGrade', 50, 'The rate is only for work of employees with this billing grade.'),
    text('JobTitle', 100, 'The rate is only for work of employees with this job title.'),
    plain('rate', 'Rate', 'The rate, in the currency of the rate set.', required),
    choice(
      'Per',
      pers,
      'Hour: the rate for one hour of timed work. Unit: the rate for one unit of itemised work.',
      required,
    ),
  ],
);

export const applicableRate = table(
  'ApplicableRate',
  'Rates that are agreed for a client or a matter.',
  [
    choice(
      'Scope',
      scopes,
      'Whether the rate is agreed for a matter or for all matters of a client.',
      required,
    ),
    reference('ScopeId', ['Client', 'Matter'], 'The client or the matter, as Scope says.', required),
    reference(
      'EmployeeId',
      'Employee',
      'The rate is only for work of this employee. Empty: of any employee.',
    ),
    reference('TaskTypeId', 'TaskType', 'The rate is only for work of this type. Empty: of any type.'),
    text(
      'BillingGrade',
      50,
      'The rate is only for work of employees with this billing grade. Empty: with any grade.',
    ),
    plain('rate', 'Rate', 'The rate, in the base currency.', required),
    choice(
      'Per',
      pers,
      'Hour: the rate for one hour of timed work. Unit: the rate for one unit of itemised work.',
      required,
    ),
    plain('date', 'EffectiveFrom', 'The first entry date that the rate is for.', required),
    plain('date', 'EffectiveTo', 'The last entry date that the rate is for. Empty: until further notice.'),
  ],
  { kind: 'applicablerate' },
);
