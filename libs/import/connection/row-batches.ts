import type { Request } from 'mssql';
import { failureOf } from './source-failure';

/** A row of the source. The extraction's statements select every column as text. */
export type SourceRow = readonly unknown[];

/** Collects rows into batches. */
export interface RowCollector<Batch> {
  /** Adds a row, of which the collector must not keep a reference. @returns whether the batch is full now */
  add(row: SourceRow): boolean;
  /** The batch of the rows since the last call; undefined when there were none. */
  take(): Batch | undefined;
}

/** Reading from the server pauses while this many batches wait to be taken. */
const MOST_WAITING = 4;

/**
 * The rows of a streaming request, in batches. Memory holds only a few batches, whatever the table's size: while they wait,
 * the driver does not read from its socket.
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

  /** Whether batches wait to be taken: the server's silence is then caused by this side. */
  get isBehind(): boolean {
    return this.waiting.length > 0;
  }

  /** The batches. @throws SourceFailure */
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
