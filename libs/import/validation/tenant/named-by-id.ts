import type { ClientBase } from 'pg';
import { tables } from '../../schema/schema-1.0';
import { checkedColumn, checkedTable } from '../checked-names';

const kinds = tables.flatMap(({ kind }) => kind ?? []);

/** SQL: the reference has the form of a record's id rather than of a key. */
export function isExisting(reference: string): string {
  // The check of the length costs next to nothing, and excludes most keys.
  return `(length(${reference}) > 36 and ${reference} ~ '^(${kinds.join('|')})_[0-9a-f]{32}$')`;
}

/** SQL: the id of a record, from its kind and its stream. */
export function idText(kind: string, uuid: string): string {
  return `${kind} || '_' || replace(${uuid}::text, '-', '')`;
}

/** SQL: the stream of the record that has the id. */
export function uuidIn(id: string): string {
  return `substr(${id}, strpos(${id}, '_') + 1)::uuid`;
}

/** SQL: the ids, as `id`, by which rows refer to records of the tenant. Reads each table once. */
export function referencesByIds(): string {
  return tables
    .flatMap(({ name, columns }) => {
      const references = columns.filter(({ refersTo }) => refersTo);
      if (references.length === 0) return [];
      const cells = references.map((column) => `(t.${checkedColumn(column.name)})`).join(', ');
      return [
        `select v.id from ${checkedTable(name)} t cross join lateral (values ${cells}) v(id) where ${isExisting('v.id')}`,
      ];
    })
    .join(' union all ');
}

/** A column by which rows refer to rows of other tables. */
interface Reference {
  table: string;
  /** Its name in the checked copy. */
  cell: string;
  /** SQL: the other tables, separated by commas. */
  to: string;
  /** The row's scope tells which of the other tables is meant. */
  hasScope: boolean;
}

/**
 * Updates the references that may name a row in `names`. Left out are those that must name a row in any case.
 * @param names a table of the staging area with the column `table_name`
 * @param update makes the statement
 */
export async function updateReferences(
  session: ClientBase,
  names: string,
  update: (reference: Reference) => string,
): Promise<void> {
  const { rows } = await session.query<{ table: string }>(
    `select distinct table_name as table from ${names}`,
  );
  const named = new Set(rows.map(({ table }) => table));
  for (const { name, columns } of tables)
    for (const { name: column, refersTo = [], isOfRow } of columns) {
      const to = refersTo.filter((table) => named.has(table));
      if (to.length === 0 || isOfRow) continue;
      await session.query(
        update({
          table: name,
          cell: checkedColumn(column),
          to: to.map((table) => `'${table}'`).join(', '),
          hasScope: refersTo.length > 1,
        }),
      );
    }
}
