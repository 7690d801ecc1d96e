import { CopyText } from '#platform/database/copy-text';
import type { RowCollector, SourceRow } from '../connection/row-batches';
import type { Column } from '../schema/table';
import type { SourceColumn } from './source-schema';

/** A batch of rows to be staged. */
export interface StagedBatch {
  /** The rows in COPY's text format. */
  text: Buffer;
  rows: number;
  /** Key of the batch's last row; null when it has none. */
  lastKey: string | null;
}

/** A batch is full at this number of rows, or at BATCH_BYTES bytes. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 256 * 1024;
/** Replaces characters that cannot be stored: PostgreSQL's texts hold no NUL, and UTF-8 no unpaired surrogate. */
export const REPLACEMENT = '\ufffd';
/** The maximum length of a parameter of SQL Server, in characters. */
const LONGEST_KEY = 4_000;

/** Completes what SQL Server omits of an instant: the time of a `date`, and a fraction of zero. */
const MIDNIGHT = 'T00:00:00.0000000';
const DAY = 'YYYY-MM-DD'.length;

const renderings: Partial<Record<Column['type'], (text: string) => string>> = {
  instant: (text) => text + MIDNIGHT.slice(text.length - DAY),
  date: (text) => (text.length === DAY ? text : text.replace(/T00:00:00(\.0+)?$/, '')),
};

/** Removes trailing blanks. A loop, because a regular expression would try at each of thousands of blanks within a text. */
function unpadded(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ') end--;
  return text.slice(0, end);
}

/**
 * Whether an extraction can resume at a staged key. SQL Server takes a key of blanks for an empty one, and a key in which a
 * character was replaced has an unknown place in the order.
 */
export function isResumable(key: string | null): key is string {
  return key !== null && key.trimEnd() !== '' && key.length <= LONGEST_KEY && !key.includes(REPLACEMENT);
}

/** Converts the source's rows to COPY's text format; empty texts become null. */
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
