import { SCHEMA_VERSION, tables } from './schema-1.0';
import { sqlTypeOf } from './t-sql';
import type { Column, Table } from './table';

/** The column reference for the firm that fills the tables, in Markdown. */
export function columnReference(): string {
  return [
    `# Tables of a bulk import, version ${SCHEMA_VERSION}`,
    '',
    'Every row has an `ImportId`: its key in the source system, unique in its table. A reference holds the ImportId of another row, or',
    '`<kind>_<32 hex>` for a record that the tenant has already. Instants are UTC. `schema-1.0.sql` makes the tables.',
    ...tables.flatMap(section),
    '',
  ].join('\n');
}

function section({ name, about, columns }: Table): string[] {
  return [
    '',
    `## ${name}`,
    '',
    about,
    '',
    '| column | type | needed | |',
    '|---|---|---|---|',
    ...columns.map(row),
  ];
}

function row(column: Column): string {
  const { name, isRequired, mayLack, about, values, refersTo } = column;
  const needed = isRequired ? 'yes' : mayLack ? 'no; the column may be absent' : 'no';
  const to = refersTo ? ` → ${refersTo.join(' or ')}` : '';
  const one = values ? ` One of ${values.join(', ')}.` : '';
  return `| ${name} | ${sqlTypeOf(column)}${to} | ${needed} | ${about}${one} |`;
}
