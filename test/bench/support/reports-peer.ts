import { live } from '#projections/live';
import { execute } from '../../support/database';
import { type RunningApp, startProcess } from '../../support/process';
import { installedPeer } from './peers';
import type { Loaded } from './reports-data';

/** All indexes that a question of the bench could use. */
const INDEXES = [
  '(entry_date desc, id desc)',
  '(employee_id, entry_date)',
  '(matter_id, entry_date)',
  '(employee_sort_name, entry_date)',
  '(employee_sort_name, matter_number)',
  '(matter_number, entry_date)',
  '(state, entry_date)',
  '(entry_month, state)',
];

/**
 * Copies the firm's work items, without deleted ones, to `peer.work_items`. A row has everything that the peer is asked
 * for, including names, so that it never has to join.
 * @returns the number of rows
 */
export async function fillPeer({ env: { DATABASE_URL: url }, tenantId }: Loaded): Promise<number> {
  await execute(url, 'drop schema if exists peer cascade');
  await execute(url, 'create schema peer');
  // A separate statement, because a table definition takes no parameters.
  await execute(
    url,
    `create table peer.work_items (
       id uuid primary key, entry_date timestamptz not null, entry_month text not null,
       matter_id uuid, matter_number text not null, employee_id uuid not null, employee_sort_name text not null,
       state text not null, item_type text not null, task_type_name text, title text,
       rate numeric(19,10) not null, units numeric(19,4) not null, unit_duration numeric not null,
       duration_ticks bigint not null, total_base numeric(19,4) not null
     )`,
  );
  await execute(
    url,
    `insert into peer.work_items
     select w.id, w.entry_date, to_char(w.entry_day, 'YYYY-MM'),
       w.matter_id, coalesce(m.matter_number, ''), w.employee_id, coalesce(ep.sort_name, ''),
       (array['Pending', 'Finalised', 'Billed', 'WrittenOff'])[w.item_state + 1],
       (array['Timed Fee', 'Itemised Fee'])[w.item_type + 1], t.name, w.title,
       w.rate, w.units, round(w.units * w.unit_minutes / 60.00000000000000000000, 10),
       w.duration_ticks, w.total_base
     from read_model.work_items w
     left join read_model.matters m on ${live('matters', 'm', '$1')} and m.id = w.matter_id
     left join read_model.employees e on ${live('employees', 'e', '$1')} and e.id = w.employee_id
     left join read_model.people ep on ${live('people', 'ep', '$1')} and ep.id = e.entity_id
     left join read_model.task_types t on ${live('task-types', 't', '$1')} and t.id = w.task_type_id
     where ${live('work-items', 'w', '$1')} and not w.is_deleted
     order by w.entry_date`,
    [tenantId],
  );
  for (const index of INDEXES) await execute(url, `create index on peer.work_items ${index}`);
  await execute(url, 'vacuum analyze peer.work_items');
  await execute(url, 'checkpoint');
  const [{ count }] = await execute<{ count: string }>(url, 'select count(*) from peer.work_items');
  return Number(count);
}

/** PostGraphile over the schema `peer`, in a process of its own. */
export function startPeer(url: string, flags: string[]): Promise<RunningApp> {
  return startProcess(
    installedPeer('postgraphile.mjs'),
    { DATABASE_URL: url, NODE_ENV: 'production' },
    flags,
  );
}
