import type { Request } from 'mssql';
import { failureOf } from './source-failure';

/** As extraction's statements ask for them: all text. */
export type SourceRow = readonly unknown[];

/** What makes batches of rows. */
export interface RowCollector<Batch> {
  /** Takes what it needs of a row, which is gone afterwards. @returns whether the batch is full with it */
  add(row: SourceRow): boolean;
  /** The rows since it was last called; undefined when there were none. */
  take(): Batch | undefined;
}

/** Batches that wait; the server is asked for no more until they have been taken. */
const MOST_WAITING = 4;

/**
 * The rows of a streaming request, in batches. Memory holds a few of them, whatever the table's size: while they are not
 * taken the driver reads nothing more from its socket.
 */
export class RowBatches<Batch> {
  private readonly waiting: Batch[] = [];
  private failure?: Error;
  private hasEnded = false;
  private isPaused = false;
  private wake?: () => void;

  /** @param touch called whenever the server has sent something */
  constructor(
    private readonly request: Request,
    private readonly collector: RowCollector<Batch>,
    private readonly touch: () => void,
  ) {
    request.stream = true;
    request.arrayRowMode = true;
    request.on('row', (row: SourceRow) => this.collect(row));
    request.on('error', (error: Error) => (this.failure ??= failureOf(error)));
    request.on('done', () => this.end());
  }

  /** Whether rows wait to be taken: the server is silent for our sake then. */
  get isBehind(): boolean {
    return this.waiting.length > 0;
  }

  /** @throws SourceFailure */
  async *[Symbol.asyncIterator](): AsyncGenerator<Batch> {
    for (;;) {
      const batch = this.waiting.shift();
      if (batch) {
        if (this.isPaused && this.waiting.length === 0) this.resume();
        yield batch;
      } else if (this.failure) {
        throw this.failure;
      } else if (this.hasEnded) {
        return;
      } else {
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
    }
  }

  private collect(row: SourceRow): void {
    this.touch();
    if (this.collector.add(row)) this.pass();
  }

  private pass(): void {
    const batch = this.collector.take();
    if (batch !== undefined) this.waiting.push(batch);
    if (this.waiting.length >= MOST_WAITING && !this.hasEnded) this.pause();
    this.wake?.();
  }

  private pause(): void {
    this.isPaused = true;
    this.request.pause();
  }

  private resume(): void {
    this.isPaused = false;
    this.touch();
    this.request.resume();
  }

  private end(): void {
    this.hasEnded = true;
    this.pass();
  }
}
