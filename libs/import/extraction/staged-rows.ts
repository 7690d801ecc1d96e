import { CopyText } from '#platform/copy-text';
import type { RowCollector, SourceRow } from '../connection/row-batches';
import type { Column } from '../schema/table';

/** Rows as they are staged. */
export interface StagedBatch {
  /** As COPY takes them. */
  text: Buffer;
  rows: number;
  /** Of the last row; null when it has none. */
  lastKey: string | null;
}

/** A batch is full with so many rows, or so many bytes. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 256 * 1024;
/** PostgreSQL has no text with a NUL. */
const INSTEAD_OF_NUL = '\ufffd';

/** What a day of SQL Server lacks to be an instant; it leaves out a fraction of nothing. */
const MIDNIGHT = 'T00:00:00.0000000';
const DAY = 'YYYY-MM-DD'.length;

const renderings: Partial<Record<Column['type'], (text: string) => string>> = {
  instant: (text) => text + MIDNIGHT.slice(text.length - DAY),
  date: (text) => (text.length === DAY ? text : text.replace(/T00:00:00(\.0+)?$/, '')),
};

/** Makes text of the source's rows, null of what is empty. */
export class StagedRowCollector implements RowCollector<StagedBatch> {
  private readonly text = new CopyText(INSTEAD_OF_NUL);
  private readonly byColumn: readonly (((text: string) => string) | undefined)[];
  private readonly key: number;
  private rows = 0;
  private lastKey: unknown = null;

  constructor(columns: readonly Column[]) {
    this.byColumn = columns.map(({ type }) => renderings[type]);
    this.key = columns.findIndex(({ name }) => name === 'ImportId');
  }

  add(row: SourceRow): boolean {
    const { text, byColumn } = this;
    for (let index = 0; index < row.length; index++) {
      const value = row[index];
      const render = byColumn[index];
      if (value === null || value === '') text.cell(null);
      else text.cell(render ? render(String(value)) : String(value));
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
    return { text: this.text.take(), rows, lastKey: keyOf(lastKey) };
  }
}

function keyOf(value: unknown): string | null {
  return value === null || value === '' ? null : String(value).replaceAll('\0', INSTEAD_OF_NUL);
}
