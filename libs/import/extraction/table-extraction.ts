import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { CopyStream } from '#platform/database/copy-rows';
import type { SourceConnection } from '../connection/source-connection';
import { SourceFailure } from '../connection/source-failure';
import type { ImportSettings } from '../import-settings';
import { markChunk, type TableState } from '../requests/import-tables';
import type { ImportTurn } from '../requests/import-turn';
import type { SourceTable } from './source-schema';
import { isResumable, type StagedBatch, StagedRowCollector } from './staged-rows';
import { rowsStatement } from './statements';

/**
 * Copies the rows of one table into the staging area, in the order of their keys and in chunks. A chunk is a transaction that
 * also stores the key of its last row, from which this or another process resumes.
 */
export class TableExtraction {
  private readonly target: string;
  private copy?: CopyStream;
  private began = 0;
  private inChunk = 0;
  private lastKey: string | null;
  private read: number;

  constructor(
    private readonly client: Client,
    private readonly turn: ImportTurn,
    private readonly from: SourceTable,
    state: TableState,
    private readonly settings: ImportSettings,
  ) {
    this.target = turn.staging.table(from.table.name);
    ({ lastKey: this.lastKey, read: this.read } = state);
  }

  /** Number of rows that are staged. */
  get count(): number {
    return this.read;
  }

  /** Reads the remaining rows. Rows that arrived before a failure of the source stay. @throws SourceFailure, LeaseLost */
  async run(source: SourceConnection): Promise<void> {
    const { table, columns } = this.from;
    const after = isResumable(this.lastKey) ? this.lastKey : undefined;
    const sql = rowsStatement(table, columns, after !== undefined);
    const collector = new StagedRowCollector(columns);
    await this.rewind(after);
    try {
      for await (const batch of this.awaited(
        source.rows(sql, collector, after === undefined ? {} : { after }),
      )) {
        this.turn.signal.throwIfAborted();
        if (!this.copy) await this.begin();
        await this.copy!.write(batch.text);
        this.inChunk += batch.rows;
        this.lastKey = batch.lastKey;
        if (this.isFull()) await this.commit(false);
      }
      await this.commit(true);
    } catch (error) {
      if (error instanceof SourceFailure) await this.commit(false);
      throw error;
    }
  }

  /**
   * Passes the batches through. While a batch is awaited for long, the rows before it are committed: otherwise every reader
   * of the feed would wait for that transaction, as long as the customer's server takes.
   */
  private async *awaited(batches: AsyncGenerator<StagedBatch>): AsyncGenerator<StagedBatch> {
    let isComing = false;
    try {
      for (;;) {
        const coming = batches.next();
        isComing = true;
        if (this.copy && !(await isSettledWithin(this.left, coming))) await this.commit(false);
        const { done, value } = await coming;
        isComing = false;
        if (done) return;
        yield value;
      }
    } finally {
      // A batch that is still awaited ends with the source's connection; waiting for it here could take long.
      if (!isComing) await batches.return(undefined);
    }
  }

  private isFull(): boolean {
    return this.inChunk >= this.settings.chunkRows || this.left <= 0;
  }

  /** Milliseconds for which the transaction may still last. */
  private get left(): number {
    return this.began + this.settings.chunkMs - performance.now();
  }

  private async begin(): Promise<void> {
    const names = this.from.columns.map(({ name }) => `"${name}"`).join(', ');
    await this.client.query('begin');
    this.copy = new CopyStream(this.client, `${this.target} (${names})`);
    this.began = performance.now();
  }

  private async commit(isComplete: boolean): Promise<void> {
    if (!this.copy && !isComplete) return;
    if (this.copy) await this.copy.end();
    else await this.client.query('begin');
    this.copy = undefined;
    this.read += this.inChunk;
    await this.mark(isComplete);
    await this.client.query('commit');
    this.turn.worked(this.inChunk);
    this.inChunk = 0;
  }

  /**
   * Deletes the staged rows that will be read again: all those with the last key. So the two databases need to agree only on
   * which keys are equal, not on their order; SQL Server compares keys without trailing blanks.
   */
  private async rewind(after: string | undefined): Promise<void> {
    if (this.read === 0) return;
    await this.client.query('begin');
    const { rowCount } =
      after === undefined
        ? await this.client.query(`delete from ${this.target}`)
        : await this.client.query(`delete from ${this.target} where rtrim("ImportId") = rtrim($1)`, [after]);
    this.read -= rowCount ?? 0;
    await this.mark(false);
    await this.client.query('commit');
  }

  private mark(isComplete: boolean): Promise<void> {
    const { read, lastKey } = this;
    return markChunk(this.client, this.turn, { name: this.from.table.name, read, lastKey, isComplete });
  }
}

async function isSettledWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const time = delay(Math.max(0, milliseconds), false, { signal: timer.signal }).catch(() => false);
  const settled = () => true;
  return Promise.race([work.then(settled, settled), time]).finally(() => timer.abort());
}
