import type { ClientBase } from 'pg';
import { withDerived } from './derived-tables';
import type { Derived, ReadRow, ReadTable } from './projection';

/**
 * Writes rows of one generation with one statement.
 * @param onConflict what to do where a row with that key exists: `update` replaces it, `fail` raises 23505
 * @param derived the tables that follow from this one
 */
export async function writeRows(
  client: ClientBase,
  table: ReadTable,
  generation: number,
  rows: readonly ReadRow[],
  onConflict: 'update' | 'fail',
  derived?: Derived,
): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.keys(table.columns);
  const objects = rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
  const insert = statement(table, names, onConflict);
  await client.query({
    name: `projections.write.${table.name}.${onConflict}`,
    text: derived ? withDerived(table, derived, insert, '$1') : insert,
    values: [generation, JSON.stringify(objects)],
  });
}

function statement(table: ReadTable, names: string[], onConflict: 'update' | 'fail'): string {
  const key = table.key.join(', ');
  const types = Object.entries(table.columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');
  const insert = `insert into read_model.${table.name} (generation, ${names.join(', ')})
    select $1, ${names.join(', ')} from json_to_recordset($2) as r(${types}) order by ${key}`;
  if (onConflict === 'fail') return insert;
  const others = names.filter((name) => !table.key.includes(name));
  return `${insert} on conflict (generation, ${key}) do update set ${others
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`;
}
