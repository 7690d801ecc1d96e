import { missing } from '../checked-names';
import type { Rule } from '../rule';
import { isSettled } from '../tenant/edited-records';

export const matterRules: readonly Rule[] = [
  {
    code: 'wrong_state',
    table: 'Matter',
    column: 'DateClosed',
    message: 'A matter that is {} needs a DateClosed; fill it in.',
    detail: 't.state',
    rows: `from matters t where t.state in ('Closed', 'Archived') and ${missing('date_closed')}`,
  },
  {
    code: 'unused',
    table: 'Matter',
    column: 'DateClosed',
    message: 'The matter is open; its DateClosed is not imported.',
    rows: "from matters t where t.state = 'Open' and t.date_closed is not null",
  },
  {
    code: 'wrong_state',
    table: 'Matter',
    column: 'ClientId',
    message: 'The client of an open matter must be Active; activate it or close the matter.',
    rows: `from matters t join all_clients c on c.key = t.client_id
           where t.state = 'Open' and c.state <> 'Active' and not ${isSettled('Matter', 't.client_id')}`,
  },
  {
    code: 'wrong_state',
    table: 'Matter',
    column: 'ClientId',
    message: 'A client that is New cannot have had a matter; make it Active or Inactive.',
    rows: `from matters t join all_clients c on c.key = t.client_id
           where t.state in ('Closed', 'Archived') and c.state = 'New' and not ${isSettled('Matter', 't.client_id')}`,
  },
  ...(
    [
      ['work', 'WorkItem'],
      ['cost', 'CostRecovery'],
    ] as const
  ).map(
    ([what, table]): Rule => ({
      code: 'wrong_state',
      table,
      column: 'State',
      message: 'It can still be billed, but its matter is {}; bill it, write it off, or open the matter.',
      detail: 'm.state',
      rows: `from ${what}_values t join all_matters m on m.key = t.matter_id
             where t.state in ('Pending', 'Finalised') and t.is_billable and t.amount <> 0 and m.state <> 'Open'
               and not ${isSettled(table, 't.matter_id')}`,
    }),
  ),
  {
    code: 'wrong_state',
    table: 'Invoice',
    column: 'State',
    message: 'The invoice is a draft, but its matter is {}; issue it, remove it, or open the matter.',
    detail: 'm.state',
    rows: `from invoices t join all_matters m on m.key = t.matter_id
           where t.state = 'Draft' and m.state <> 'Open' and not ${isSettled('Invoice', 't.matter_id')}`,
  },
];
