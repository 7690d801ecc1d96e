import type { ClientBase } from 'pg';
import { withDerived } from './derived-tables';
import type { Derived, ReadRow, ReadTable } from './projection';

/**
 * Writes rows of one generation with one statement.
 * @param onConflict what to do if a row with the key exists: `update` replaces it, `fail` raises 23505
 * @param derived the tables that are derived from this one
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
  const columns = Object.entries(table.columns);
  const insert = statement(table, onConflict);
  await client.query({
    name: `projections.write.${table.name}.${onConflict}`,
    text: derived ? withDerived(table, derived, insert, '$1') : insert,
    values: [generation, ...columns.map(([, type], index) => parameter(type, rows, index))],
  });
}

/**
 * A column's values in array syntax. JSON documents are separated by newlines instead, so that they need not be quoted
 * and parsed twice.
 */
function parameter(type: string, rows: readonly ReadRow[], index: number): string {
  if (type === 'json') return rows.map((row) => JSON.stringify(row[index])).join('\n');
  const element = isText(type) ? quoted : String;
  return `{${rows.map((row) => (row[index] == null ? 'null' : element(row[index]))).join()}}`;
}

/** Whether values of a type may contain characters with a meaning in array syntax. Numbers, ids and times never do. */
function isText(type: string): boolean {
  return type === 'text' || type === 'tsvector' || type.endsWith('[]');
}

function quoted(value: unknown): string {
  return `"${String(value).replace(/["\\]/g, '\\$&')}"`;
}

/** SQL of the array in a parameter. */
function arrayOf(type: string, parameter: string): string {
  if (type === 'json') return `string_to_array(${parameter}, e'\\n')::json[]`;
  // PostgreSQL has no arrays of arrays as a type, so each array is passed as text.
  return type.endsWith('[]') ? `${parameter}::text[]` : `${parameter}::${type}[]`;
}

function statement(table: ReadTable, onConflict: 'update' | 'fail'): string {
  const key = table.key.join(', ');
  const columns = Object.entries(table.columns);
  const names = columns.map(([name]) => name);
  const arrays = columns.map(([, type], index) => arrayOf(type, `$${index + 2}`));
  const values = columns.map(([name, type]) => (type.endsWith('[]') ? `${name}::${type}` : name));
  const insert = `insert into read_model.${table.name} (generation, ${names.join(', ')})
    select $1, ${values.join(', ')} from unnest(${arrays.join(', ')}) as r(${names.join(', ')}) order by ${key}`;
  if (onConflict === 'fail') return insert;
  const others = names.filter((name) => !table.key.includes(name));
  return `${insert} on conflict (generation, ${key}) do update set ${others
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`;
}
