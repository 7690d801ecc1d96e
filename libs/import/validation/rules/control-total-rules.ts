import { tables } from '../../schema/schema-1.0';
import type { Rule } from '../rule';

const names = tables.map(({ name }) => `'${name}'`).join(', ');
/** SQL: the groupings for which each measure can have a total. */
const COMPARED = `(t.measure = 'Rows' and t.group_by = 'Table')
  or (t.measure in ('Work', 'UnbilledWork', 'Billed') and t.group_by in ('Total', 'Matter', 'FeeEarner'))
  or (t.measure = 'Debtors' and t.group_by in ('Total', 'Matter'))`;

/** Rules about what control totals measure, and by what they are grouped. */
export const controlTotalRules: readonly Rule[] = [
  {
    code: 'wrong_kind',
    table: 'ControlTotal',
    column: 'GroupBy',
    message:
      'Rows can be grouped only by Table; Work, UnbilledWork and Billed by Total, Matter or FeeEarner; Debtors by ' +
      'Total or Matter. Correct GroupBy.',
    rows: `from control_totals t where not (${COMPARED})`,
  },
  {
    code: 'wrong_kind',
    table: 'ControlTotal',
    column: 'GroupKey',
    message: 'A total of everything has no GroupKey; empty it.',
    rows: "from control_totals t where t.group_by = 'Total' and t.group_key is not null",
  },
  {
    code: 'wrong_kind',
    table: 'ControlTotal',
    column: 'GroupKey',
    message: 'A total by {} needs a GroupKey; fill it in.',
    detail: 't.group_by',
    rows: "from control_totals t where t.group_by <> 'Total' and t.group_key is null",
  },
  {
    code: 'not_found',
    table: 'ControlTotal',
    column: 'GroupKey',
    message: 'GroupKey must be the name of a table, or the ImportId of a matter or an employee; correct it.',
    rows: `from control_totals t
           left join (
             select 'Table' as group_by, name as key from unnest(array[${names}]) name
             union select 'Matter', key from all_matters
             union select 'FeeEarner', import_id from employees
             union select 'FeeEarner', id from existing where kind = 'employee'
           ) k on k.group_by = t.group_by and k.key = t.group_key
           where t.group_key is not null and t.group_by <> 'Total' and k.key is null`,
  },
  {
    code: 'unused',
    table: 'ControlTotal',
    column: 'Amount',
    message: 'Rows are only counted and have no amount; this Amount is not compared.',
    // An amount of zero says nothing.
    rows: "from control_totals t where t.measure = 'Rows' and t.amount <> 0",
  },
  {
    code: 'duplicate_entry',
    table: 'ControlTotal',
    message: '{} control totals are for the same measure and group; remove all but one.',
    detail: 't.sharing',
    rows: `from (select import_id, count(*) over (partition by measure, group_by, coalesce(group_key, '')) as sharing
                 from control_totals where measure is not null and group_by is not null) t where t.sharing > 1`,
  },
];
