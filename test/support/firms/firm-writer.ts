import type { ClientBase } from 'pg';
import { tables } from '#import/schema/schema-1.0';
import { copyText } from '#platform/database/copy-rows';
import { CopyText } from '#platform/database/copy-text';
import { sourceTable, tableNamed } from './firm-tables';

/** A row by the names of its columns. Columns that are not named are null. */
export type Row = { readonly ImportId: string } & Readonly<Record<string, unknown>>;

/** In bytes. */
const BATCH = 1024 * 1024;

interface Buffer {
  readonly target: string;
  readonly columns: readonly string[];
  readonly known: ReadonlySet<string>;
  readonly text: CopyText;
  written: number;
}

/** Writes rows to the source's tables in batches, so that a million of them never have to be held in memory. */
export class FirmWriter {
  private readonly buffers = new Map<string, Buffer>();

  constructor(private readonly client: ClientBase) {
    for (const { name, columns } of tables) {
      const names = columns.map((column) => column.name);
      const target = `${sourceTable(name)} (${names.map((each) => `"${each}"`).join(', ')})`;
      this.buffers.set(name, {
        target,
        columns: names,
        known: new Set(names),
        text: new CopyText(),
        written: 0,
      });
    }
  }

  add(table: string, row: Row): void {
    const buffer = this.buffers.get(tableNamed(table).name)!;
    for (const name in row) if (!buffer.known.has(name)) throw new Error(`${table} has no column ${name}`);
    buffer.text.row(buffer.columns.map((name) => row[name]));
    buffer.written++;
  }

  /** Writes the full batches. To be awaited now and then. */
  async settle(): Promise<void> {
    for (const buffer of this.buffers.values()) if (buffer.text.length >= BATCH) await this.flush(buffer);
  }

  async end(): Promise<void> {
    for (const buffer of this.buffers.values()) await this.flush(buffer);
  }

  /** The numbers of rows so far, by table. */
  rows(): Record<string, number> {
    return Object.fromEntries([...this.buffers].map(([name, { written }]) => [name, written]));
  }

  private flush({ target, text }: Buffer): Promise<void> {
    return copyText(this.client, target, text);
  }
}
