import type { ImportRun } from '../import-run';
import type { ImportedRecord } from '../records/imported-record';

const REPORTED_EVERY = 1_000;

/** Reports how many rows of each table have become records. */
export class LoadProgress {
  private readonly loaded = new Map<string, number>();

  constructor(private readonly run: Pick<ImportRun, 'report'>) {}

  /** Passes the records through and counts them. */
  async *counted(records: AsyncIterable<ImportedRecord>): AsyncGenerator<ImportedRecord> {
    for await (const record of records) {
      this.count(record.table, 1);
      for (const table in record.parts) this.count(table, record.parts[table]);
      yield record;
    }
    for (const [table, loaded] of this.loaded) this.run.report(table, { loaded });
  }

  private count(table: string, rows: number): void {
    const before = this.loaded.get(table) ?? 0;
    const loaded = before + rows;
    this.loaded.set(table, loaded);
    const isTold = Math.floor(loaded / REPORTED_EVERY) > Math.floor(before / REPORTED_EVERY);
    if (isTold) this.run.report(table, { loaded });
  }
}
