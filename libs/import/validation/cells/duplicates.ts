import type { ClientBase } from 'pg';
import { tables } from '../../schema/schema-1.0';
import { checkedTable } from '../checked-names';

/**
 * Keeps one of several rows with the same ImportId in the checked copy, so that a reference joins one row only. The
 * kept row gets the cell faults of all.
 */
export async function dropDuplicates(session: ClientBase): Promise<void> {
  for (const { name } of tables) {
    const table = checkedTable(name);
    await session.query(
      `with shared as (
         select import_id, min(ctid) as first from ${table}
         where import_id is not null group by import_id having count(*) > 1
       ), told as (
         select d.first, array_agg(f.fault) as faults
         from shared d join ${table} t using (import_id) cross join lateral unnest(t.faults) f(fault) group by 1
       ), dropped as (
         delete from ${table} t using shared d where t.import_id = d.import_id and t.ctid <> d.first
       )
       update ${table} t set faults = w.faults from told w where t.ctid = w.first`,
    );
  }
}
