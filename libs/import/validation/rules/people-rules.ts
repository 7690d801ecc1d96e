import { missing } from '../checked-names';
import type { Rule } from '../rule';

/** An individual has a family name, an organisation a name, and neither has the name of the other. */
export const peopleRules: readonly Rule[] = [
  {
    code: 'wrong_kind',
    table: 'Entity',
    column: 'LastName',
    message: 'An Individual needs a LastName; fill it in.',
    rows: `from entities t where t.entity_type = 'Individual' and ${missing('last_name')}`,
  },
  {
    code: 'wrong_kind',
    table: 'Entity',
    column: 'Name',
    message: 'An Individual has no Name; empty it, or make the row an Organisation.',
    rows: "from entities t where t.entity_type = 'Individual' and t.name is not null",
  },
  {
    code: 'wrong_kind',
    table: 'Entity',
    column: 'Name',
    message: 'An Organisation needs a Name; fill it in.',
    rows: `from entities t where t.entity_type = 'Organisation' and ${missing('name')}`,
  },
  {
    code: 'wrong_kind',
    table: 'Entity',
    column: 'LastName',
    message: 'An Organisation has neither LastName nor FirstName; empty them.',
    rows: "from entities t where t.entity_type = 'Organisation' and coalesce(t.last_name, t.first_name) is not null",
  },
  {
    code: 'invalid_value',
    table: 'Entity',
    column: 'Email',
    message: 'Email is no e-mail address; correct or empty it.',
    rows: String.raw`from entities t where t.email !~ '^[^\s@]+@[^\s@]+\.[^\s@.]+$'`,
  },
];
