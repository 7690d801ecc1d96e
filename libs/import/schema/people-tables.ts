import { entityTypes } from '#practice/entities/entity.events';
import { choice, code, plain, reference, required, table, text } from './table';

export const clientStates = ['New', 'Active', 'Inactive'] as const;
export const activeStates = ['Active', 'Inactive'] as const;

export const entity = table(
  'Entity',
  'People and organisations.',
  [
    choice('EntityType', entityTypes, 'Whether it is a person.', required),
    text('FirstName', 100, "A person's given name."),
    text('LastName', 100, "A person's family name; a person has one."),
    text('Name', 200, "An organisation's name; an organisation has one."),
    text('Email', 254, 'An e-mail address.'),
    text('Phone', 50, 'A telephone number.'),
    plain('currency', 'Currency', 'The currency in which it is billed; empty: the base currency.'),
    text('Street', 200, 'Of its address.'),
    text('City', 100, 'Of its address.'),
    text('Region', 100, 'Of its address: county or state.'),
    text('Postcode', 20, 'Of its address.'),
    text('Country', 100, 'Of its address.'),
    text('RegistrationNumber', 50, 'With the register of companies.'),
    text('TaxNumber', 50, 'With the tax office.'),
  ],
  { kind: 'entity' },
);

export const employee = table(
  'Employee',
  'Those who record time.',
  [
    reference('EntityId', 'Entity', 'The person; one employee each.', required),
    reference('DivisionId', 'Division', 'Where they work.'),
    text('Initials', 10, 'The initials by which the firm knows them.'),
    text('JobTitle', 100, 'Their title.'),
    text('BillingGrade', 50, 'Their grade.'),
    plain('boolean', 'IsFeeEarner', 'Whether their time is charged.', required),
    plain('rate', 'DefaultRate', 'Their rate for an hour, in the base currency.'),
    choice('State', activeStates, 'Inactive ones take no new work.', required),
  ],
  { kind: 'employee' },
);

export const client = table(
  'Client',
  'Those for whom the firm acts.',
  [
    reference('EntityId', 'Entity', 'The person or organisation; one client each.', required),
    code('ClientNumber', 50, 'Unique; empty: the next free number.'),
    choice('State', clientStates, 'Only active ones have open matters.', required),
    plain('integer', 'PaymentTermsDays', 'Days that the client has to pay; empty: 30, as for any client.'),
  ],
  { kind: 'client' },
);

export const supplier = table(
  'Supplier',
  'Those from whom the firm buys.',
  [
    reference('EntityId', 'Entity', 'The person or organisation; one supplier each.', required),
    choice('State', activeStates, 'Nothing is bought from inactive ones.', required),
    plain('integer', 'PaymentTermsDays', 'Days that the firm has to pay; empty: none were agreed.'),
  ],
  { kind: 'supplier' },
);
