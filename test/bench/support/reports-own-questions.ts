import { resolvePeriod } from '#kernel/periods';
import { dayIn } from '#kernel/zone';
import { live } from '#projections/live';
import { execute } from '../../support/database';
import type { Loaded } from './reports-data';
import { entered, ownAsk, unpivoted } from './reports-own-asks';
import type { Question, Subject } from './reports-questions';

/** A question that only this service is asked, and the rows that plain SQL returns for it. */
export type OwnQuestion = Omit<Question, 'theirs'> & { expected: unknown[][] };

const FLOWS = { workItemFinalised: 'finalised', workItemBilled: 'billed', workItemWrittenOff: 'written_off' };

export function ownQuestions(loaded: Loaded, subject: Subject): Promise<OwnQuestion[]> {
  const { year } = subject;
  return Promise.all([
    lastDays(loaded, subject),
    financialYear(loaded, subject),
    manyFields(loaded, subject),
    ...Object.keys(UNCOVERED).flatMap((colId) => [
      uncoveredPairs(`uncovered pairs, ${colId}`, loaded, subject, colId, {
        min: `${year}-01-01`,
        max: `${year}-12-31`,
      }),
      uncoveredPairs(`uncovered pairs, ${colId}, all`, loaded, subject, colId),
      rowsOfGroup(`rows of the largest group, ${colId}`, loaded, colId, 'desc'),
      rowsOfGroup(`rows of the smallest group, ${colId}`, loaded, colId, 'asc'),
    ]),
  ]);
}

/**
 * Dimensions that no rollup combines with task types, with the SQL of their rows. The peer cannot group by nullable
 * columns.
 */
const UNCOVERED: Record<string, string> = {
  employeeSortName: 'select employee_sort_name as name, * from peer.work_items',
  divisionName: `select d.name, p.* from peer.work_items p
    left join read_model.matters m on ${live('matters', 'm', '$1')} and m.id = p.matter_id
    left join read_model.divisions d on ${live('divisions', 'd', '$1')} and d.id = m.division_id`,
  clientSortName: `select cp.sort_name as name, p.* from peer.work_items p
    left join read_model.matters m on ${live('matters', 'm', '$1')} and m.id = p.matter_id
    left join read_model.clients c on ${live('clients', 'c', '$1')} and c.id = m.client_id
    left join read_model.people cp on ${live('people', 'cp', '$1')} and cp.id = c.entity_id`,
};

/** The condition on the tenant tells PostgreSQL the parameter's type, also where only the peer's table is read. */
async function uncoveredPairs(
  name: string,
  { env, tenantId }: Loaded,
  { zone }: Subject,
  colId: string,
  days?: { min: string; max: string },
): Promise<OwnQuestion> {
  const { min = '-infinity', max = 'infinity' } = days ?? {};
  const rows = await execute(
    env.DATABASE_URL,
    `select name, task_type_name as type, sum(total_base) as total, sum(units) as units
     from (${UNCOVERED[colId]}) items
     where $1::integer is not null and (entry_date at time zone $2)::date between $3 and $4
     group by 1, 2 order by total desc, name desc nulls last, type desc nulls last limit 100`,
    [tenantId, zone, min, max],
  );
  const cols = [colId, 'taskTypeName', 'totalBase:sum', 'units:sum'];
  const rest = { groupLeafLevel: true, sortBy: [{ colId: 'totalBase', desc: true }], endRow: 100 };
  return {
    name,
    ours: ownAsk('work_item_listing', { cols, criteria: days && entered(days), rest }),
    values: ['text', 'text', 'number', 'number'],
    expected: rows.map(Object.values),
  };
}

/** The newest rows of the group with the most or the fewest items. */
async function rowsOfGroup(
  name: string,
  { env, tenantId }: Loaded,
  colId: string,
  bySize: 'asc' | 'desc',
): Promise<OwnQuestion> {
  const rows = await execute<{ name: string }>(
    env.DATABASE_URL,
    `with items as materialized (${UNCOVERED[colId]}),
       largest as (select name from items where name is not null group by 1 order by count(*) ${bySize}, 1 limit 1)
     select id, entry_date, title, name from items
     where $1::integer is not null and name = (select name from largest) order by entry_date desc, id desc limit 50`,
    [tenantId],
  );
  const rest = {
    rowGroups: [{ colId }],
    groupKeys: [rows[0].name],
    sortBy: [{ colId: 'entryDate', desc: true }],
  };
  return {
    name,
    ours: ownAsk('work_item_listing', { cols: ['id', 'entryDate', 'title', colId], rest }),
    values: ['id', 'instant', 'text', 'text'],
    expected: rows.map(Object.values),
  };
}

/** Hundreds of pivot fields, from two columns that no rollup has together, one of them of the calendar. */
async function manyFields({ env, tenantId }: Loaded, { zone, year }: Subject): Promise<OwnQuestion> {
  const days = { min: `${year - 1}-04-01`, max: `${year + 2}-03-31` };
  const rows = await execute(
    env.DATABASE_URL,
    `select name, concat_ws('_', to_char(day - interval '3 months', 'YYYY') || to_char(day + interval '9 months', '/YY'),
       coalesce(task_type_name, '(Blank)')) as field, sum(units) as units
     from (select (entry_date at time zone $2)::date as day, * from (${UNCOVERED.divisionName}) named) items
     where $1::integer is not null and day between $3 and $4 group by 1, 2`,
    [tenantId, zone, days.min, days.max],
  );
  const fields = unpivoted('divisionName', 'units');
  const rest = {
    rowGroups: [{ colId: 'divisionName' }],
    pivots: [{ colId: 'entryFinancialYear' }, { colId: 'taskTypeName' }],
  };
  return {
    name: 'by division, pivoted by financial year and task type',
    ours: ownAsk('work_item_listing', {
      cols: ['units:sum'],
      criteria: entered(days),
      rest,
      rows: (found) => ordered(fields(found)),
    }),
    values: ['text', 'text', 'number'],
    expected: ordered(rows.map(Object.values)),
  };
}

function ordered(rows: unknown[][]): unknown[][] {
  const name = ([row, field]: unknown[]) => JSON.stringify([row, field]);
  return rows.sort((one, other) => (name(one) < name(other) ? -1 : 1));
}

/** A period that begins and ends in the middle of a month. */
async function lastDays({ env }: Loaded, { zone }: Subject): Promise<OwnQuestion> {
  const { min, max } = resolvePeriod('LAST_365_DAYS', dayIn(zone, new Date()), 4);
  const rows = await execute(
    env.DATABASE_URL,
    `select employee_sort_name as name, sum(total_base) as total, sum(units) as units
     from peer.work_items where (entry_date at time zone $1)::date between $2 and $3
     group by 1 order by total desc, name desc`,
    [zone, min, max],
  );
  const criteria = { entryPeriod: { fixedPeriod: null, relativePeriod: 'LAST_365_DAYS' } };
  const rest = {
    rowGroups: [{ colId: 'employeeSortName' }],
    sortBy: [{ colId: 'totalBase', desc: true }],
    endRow: 10_000,
  };
  const cols = ['employeeSortName', 'totalBase:sum', 'units:sum'];
  return {
    name: 'LAST_365_DAYS by employee',
    ours: ownAsk('work_item_listing', { cols, criteria, rest }),
    values: ['text', 'number', 'number'],
    expected: rows.map(Object.values),
  };
}

async function financialYear({ env, tenantId }: Loaded, { year }: Subject): Promise<OwnQuestion> {
  const period = { min: `${year}-04-01`, max: `${year + 1}-03-31` };
  const sums = Object.values(FLOWS).map((column) => `sum(f.${column}) as ${column}`);
  const rows = await execute(
    env.DATABASE_URL,
    `select e.name, ${sums.join(', ')} from read_model.fee_analysis f
     join (select distinct employee_id, employee_sort_name as name from peer.work_items) e using (employee_id)
     where ${live('fee-analysis', 'f', '$1')} and f.day between $2 and $3
     group by 1 order by billed desc, name desc`,
    [tenantId, period.min, period.max],
  );
  const rest = {
    rowGroups: [{ colId: 'feeEarnerSortName' }],
    sortBy: [{ colId: 'workItemBilled', desc: true }],
    endRow: 10_000,
  };
  const cols = ['feeEarnerSortName', ...Object.keys(FLOWS).map((name) => `${name}:sum`)];
  return {
    name: 'fee analysis by fee earner',
    ours: ownAsk('fee_analysis', { cols, criteria: { period }, rest }),
    values: ['text', 'number', 'number', 'number'],
    expected: rows.map(Object.values),
  };
}
