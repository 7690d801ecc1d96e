import { EventEmitter, once } from 'node:events';

/** The times when the database was away, as far as clients can tell. Only requests that failed then are excused. */
export class Outages {
  private readonly past: { from: number; to: number }[] = [];
  private began?: number;
  private readonly events = new EventEmitter().setMaxListeners(0);

  begin(): void {
    this.began = Date.now();
  }

  /** Called when every process answers again. */
  end(): void {
    this.past.push({ from: this.began!, to: Date.now() });
    this.began = undefined;
    this.events.emit('end');
  }

  /** @param from when the request began that has just failed */
  excuses(from: number): boolean {
    return this.began !== undefined || this.past.some((outage) => from <= outage.to);
  }

  /** Resolves when no outage is in progress. */
  async over(): Promise<void> {
    if (this.began !== undefined) await once(this.events, 'end');
  }
}
