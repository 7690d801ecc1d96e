import { Readable } from 'node:stream';

/** The beginning of a text that a spreadsheet would take for a formula, or for the beginning of another cell. */
const ACTIVE = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * CSV with a header (RFC 4180), as a stream that reads pages on demand. A text that a spreadsheet would take for a
 * formula gets a leading apostrophe. Null becomes an empty cell.
 */
export function csvOf<Row extends object>(
  columns: readonly (keyof Row & string)[],
  pages: AsyncIterable<Row[]>,
): Readable {
  return Readable.from(lines(columns, pages));
}

async function* lines<Row extends object>(
  columns: readonly (keyof Row & string)[],
  pages: AsyncIterable<Row[]>,
): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const rows of pages)
    if (rows.length > 0)
      yield rows.map((row) => `${columns.map((column) => cell(row[column])).join(',')}\r\n`).join('');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = ACTIVE.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
