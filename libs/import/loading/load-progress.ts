import type { ImportRun } from '../import-run';
import type { ImportedRecord } from '../records/imported-record';

const REPORTED_EVERY = 1_000;

/** Tells how many rows of each table have become records. */
export class LoadProgress {
  private readonly loaded = new Map<string, number>();

  constructor(private readonly run: Pick<ImportRun, 'report'>) {}

  /** The same records. */
  async *counted(records: AsyncIterable<ImportedRecord>): AsyncGenerator<ImportedRecord> {
    for await (const record of records) {
      const { table } = record;
      const count = (this.loaded.get(table) ?? 0) + 1;
      this.loaded.set(table, count);
      if (count % REPORTED_EVERY === 0) this.run.report(table, { loaded: count });
      yield record;
    }
    for (const [table, loaded] of this.loaded) this.run.report(table, { loaded });
  }
}
