import { CopyText } from '#platform/database/copy-text';
import type { RowCollector, SourceRow } from '../connection/row-batches';
import type { Column } from '../schema/table';
import type { SourceColumn } from './source-schema';

/** Rows as they are staged. */
export interface StagedBatch {
  /** As COPY takes them. */
  text: Buffer;
  rows: number;
  /** Key of the batch's last row; null when it has none. */
  lastKey: string | null;
}

/** A batch is full with so many rows, or so many bytes. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 256 * 1024;
/** PostgreSQL has no text with a NUL, and UTF-8 none with half a character. */
export const REPLACEMENT = '\ufffd';
/** Of a parameter. */
const LONGEST_KEY = 4_000;

/** What a day of SQL Server lacks to be an instant; it leaves out a fraction of nothing. */
const MIDNIGHT = 'T00:00:00.0000000';
const DAY = 'YYYY-MM-DD'.length;

const renderings: Partial<Record<Column['type'], (text: string) => string>> = {
  instant: (text) => text + MIDNIGHT.slice(text.length - DAY),
  date: (text) => (text.length === DAY ? text : text.replace(/T00:00:00(\.0+)?$/, '')),
};

/** By hand: an expression tries each of thousands of spaces within a text for the last ones. */
function unpadded(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ') end--;
  return text.slice(0, end);
}

/**
 * Whether the reading can go on at a key as it was staged. One of spaces alone SQL Server takes for an empty one; where a
 * character was replaced nobody knows what others come behind it.
 */
export function isResumable(key: string | null): key is string {
  return key !== null && key.trimEnd() !== '' && key.length <= LONGEST_KEY && !key.includes(REPLACEMENT);
}

/** Makes text of the source's rows, null of what is empty. */
export class StagedRowCollector implements RowCollector<StagedBatch> {
  private readonly text = new CopyText(REPLACEMENT);
  private readonly byColumn: readonly (((text: string) => string) | undefined)[];
  private readonly key: number;
  private rows = 0;
  private lastKey: unknown = null;

  constructor(columns: readonly SourceColumn[]) {
    this.byColumn = columns.map(({ type, isPadded }) => (isPadded ? unpadded : renderings[type]));
    this.key = columns.findIndex(({ name }) => name === 'ImportId');
  }

  add(row: SourceRow): boolean {
    const { text, byColumn } = this;
    for (let index = 0; index < row.length; index++) {
      const value = row[index];
      const render = byColumn[index];
      const cell = render && value !== null ? render(String(value)) : value;
      text.cell(cell === null || cell === '' ? null : String(cell));
    }
    text.endRow();
    this.rows++;
    this.lastKey = row[this.key];
    return this.rows >= BATCH_ROWS || text.length >= BATCH_BYTES;
  }

  take(): StagedBatch | undefined {
    const { rows, lastKey } = this;
    if (rows === 0) return undefined;
    this.rows = 0;
    return { text: this.text.take(), rows, lastKey: this.keyOf(lastKey) };
  }

  private keyOf(value: unknown): string | null {
    if (value === null) return null;
    const key = this.byColumn[this.key]?.(String(value)) ?? String(value);
    return key === '' ? null : key.replaceAll('\0', REPLACEMENT).toWellFormed();
  }
}
