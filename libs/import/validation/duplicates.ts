import type { ClientBase } from 'pg';
import { tables } from '../schema/schema-1.0';
import { checkedTable } from './checked-names';

/** One row of those that share an ImportId stays in the checked copy: what refers to it is joined with one. */
export async function dropDuplicates(session: ClientBase): Promise<void> {
  for (const { name } of tables) {
    const table = checkedTable(name);
    await session.query(
      `delete from ${table} t using (
         select import_id, min(ctid) as first from ${table}
         where import_id is not null group by import_id having count(*) > 1
       ) d where t.import_id = d.import_id and t.ctid <> d.first`,
    );
  }
}
