import { SCHEMA_VERSION, tables } from './schema-1.0';
import { sqlTypeOf } from './t-sql';
import type { Column, Table } from './table';

/** The column reference for the firm that fills the tables, in Markdown. */
export function columnReference(): string {
  return [
    `# Tables of a bulk import, version ${SCHEMA_VERSION}`,
    '',
    'Every row has an `ImportId`, which is its key in the source system and unique in its table. A column that refers to another table',
    'has the ImportId of a row there, or the id `<kind>_<32 hex>` of a record that the tenant already has. Dates with a time are in UTC.',
    'The script `schema-1.0.sql` creates the tables.',
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
