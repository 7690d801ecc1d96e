import { escapeLiteral } from 'pg';
import type { Table } from '../schema/table';

/**
 * Beside each table of the source's rows, which are text, stands its checked copy: the same rows with values of their
 * types, null where a cell is none. `"WorkItem"."EntryDate"` is checked as `work_items.entry_date`.
 */
export function checkedTable(name: string): string {
  const snake = checkedColumn(name);
  return snake.endsWith('y') ? `${snake.slice(0, -1)}ies` : `${snake}s`;
}

export function checkedColumn(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

/** Whether a rule reads it; long texts are only measured. */
export function isCopied({ type, length }: Table['columns'][number]): boolean {
  return type !== 'text' || (length ?? 0) < 500;
}

/** SQL: the cell of the row `t` is empty, rather than one that could not be read, about which there is a finding already. */
export function missing(column: string): string {
  return `(t.${column} is null and not coalesce('${column}' = any(t.bad), false))`;
}

/** Characters of the longest column. */
const LONGEST = 500;

/** SQL: the beginning of a text of the source. What is longer is an error anyway, and beyond what an index takes. */
export function cut(text: string): string {
  return `left(${text}, ${LONGEST})`;
}

/** What JavaScript trims: PostgreSQL's classes of characters go by its locale, and leave some out. */
const SPACE =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** SQL: a text without the space around it; of a blank one nothing is left, as requests have it. */
export function withoutSpace(text: string): string {
  return `btrim(${text}, ${escapeLiteral(SPACE)})`;
}

/** SQL: a text in the form in which it is told from others, as `normalised` of names.ts makes it. */
export function normalisedText(text: string): string {
  return withoutSpace(`normalize(${text})`);
}

/** SQL: a name by which it is told from others however it is capitalised, and whatever blanks are in it. */
export function spelling(text: string): string {
  return `lower(translate(normalize(${text}), ${escapeLiteral(SPACE)}, ''))`;
}
