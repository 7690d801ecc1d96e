import { escapeLiteral } from 'pg';
import type { Table } from '../schema/table';

/**
 * The name of a table's checked copy. The source's rows are staged as text; the checked copy has the same rows with
 * typed values, and null where a cell has no valid value. `"WorkItem"."EntryDate"` becomes `work_items.entry_date`.
 */
export function checkedTable(name: string): string {
  const snake = checkedColumn(name);
  return snake.endsWith('y') ? `${snake.slice(0, -1)}ies` : `${snake}s`;
}

export function checkedColumn(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

/** Whether the checked copy has the column, because a rule reads it. A long text is not: only its length is checked. */
export function isCopied({ type, length }: Table['columns'][number]): boolean {
  return type !== 'text' || (length ?? 0) < 500;
}

/**
 * SQL: the cell of the row `t` is empty. An invalid cell, which is null too, already has a finding and does not
 * count.
 */
export function missing(column: string): string {
  return `(t.${column} is null and not coalesce('${column}' = any(t.bad), false))`;
}

/** The maximum length of the longest column that is copied, in characters. */
const LONGEST = 500;

/**
 * SQL: the beginning of a text of the source. A longer text is an error anyway, and would exceed what an index accepts.
 */
export function cut(text: string): string {
  return `left(${text}, ${LONGEST})`;
}

/**
 * The characters that JavaScript's `trim` removes. PostgreSQL's character classes depend on its locale and lack some.
 */
const SPACE =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** SQL: a text without surrounding white space, as requests read it. A blank text becomes an empty one. */
export function withoutSpace(text: string): string {
  return `btrim(${text}, ${escapeLiteral(SPACE)})`;
}

/** SQL: a text in the form in which it is compared for uniqueness, equal to `normalised` of names.ts. */
export function normalisedText(text: string): string {
  return withoutSpace(`normalize(${text})`);
}

/** SQL: a name for comparison without regard to case and white space. */
export function spelling(text: string): string {
  return `lower(translate(normalize(${text}), ${escapeLiteral(SPACE)}, ''))`;
}
