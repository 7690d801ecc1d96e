import { entityTypes } from '#practice/entities/entity.events';
import { choice, code, plain, reference, required, table, text } from './table';

export const clientStates = ['New', 'Active', 'Inactive'] as const;
export const activeStates = ['Active', 'Inactive'] as const;

export const entity = table(
  'Entity',
  'People and organisations.',
  [
    choice('EntityType', entityTypes, 'Whether it is a person or an organisation.', required),
    text('FirstName', 100, "A person's given name. Empty for an Organisation."),
    text('LastName', 100, "A person's family name. Required for an Individual."),
    text('Name', 200, "An organisation's name. Required for an Organisation, and empty for an Individual."),
    text('Email', 254, 'An e-mail address.'),
    text('Phone', 50, 'A telephone number.'),
    plain('currency', 'Currency', 'The currency in which it is billed. Empty: the base currency.'),
    text('Street', 200, 'The street and house number of the address.'),
    text('City', 100, 'The city of the address.'),
    text('Region', 100, 'The county or state of the address.'),
    text('Postcode', 20, 'The postcode of the address.'),
    text('Country', 100, 'The country of the address.'),
    text('RegistrationNumber', 50, 'The number in the register of companies.'),
    text('TaxNumber', 50, 'The number with the tax office.'),
  ],
  { kind: 'entity' },
);

export const employee = table(
  'Employee',
  'The employees of the firm.',
  [
    reference(
      'EntityId',
      'Entity',
      'The person who is the employee. A person can be only one employee.',
      required,
    ),
    reference('DivisionId', 'Division', 'The division in which they work.'),
    text('Initials', 10, 'The initials by which the firm knows them.'),
    text('JobTitle', 100, 'Their job title.'),
    text('BillingGrade', 50, 'Their billing grade.'),
    plain(
      'boolean',
      'IsFeeEarner',
      'Whether they are a fee earner, whose time is charged to clients.',
      required,
    ),
    plain('rate', 'DefaultRate', 'The rate for one hour, in the base currency.'),
    choice('State', activeStates, 'An Inactive employee takes on no new work.', required),
  ],
  { kind: 'employee' },
);

export const client = table(
  'Client',
  'The clients, for whom the firm acts.',
  [
    reference(
      'EntityId',
      'Entity',
      'The person or organisation that is the client. An entity can be only one client.',
      required,
    ),
    code('ClientNumber', 50, 'The number, which must be unique. Empty: the next number is assigned.'),
    choice('State', clientStates, 'Only an Active client can have open matters.', required),
    plain('integer', 'PaymentTermsDays', 'How many days the client has to pay an invoice. Empty: 30 days.'),
  ],
  { kind: 'client' },
);

export const supplier = table(
  'Supplier',
  'The suppliers, from whom the firm buys.',
  [
    reference(
      'EntityId',
      'Entity',
      'The person or organisation that is the supplier. An entity can be only one supplier.',
      required,
    ),
    choice('State', activeStates, 'Nothing new can be bought from an Inactive supplier.', required),
    plain('integer', 'PaymentTermsDays', 'How many days after its date a bill of the supplier is due.'),
  ],
  { kind: 'supplier' },
);
