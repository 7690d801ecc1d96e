import { EventEmitter, once } from 'node:events';

/** When the database was away, as far as clients can tell: what failed then is excused, nothing else is. */
export class Outages {
  private readonly past: { from: number; to: number }[] = [];
  private began?: number;
  private readonly events = new EventEmitter().setMaxListeners(0);

  begin(): void {
    this.began = Date.now();
  }

  /** Every process answers again. */
  end(): void {
    this.past.push({ from: this.began!, to: Date.now() });
    this.began = undefined;
    this.events.emit('end');
  }

  /** @param from when the request began that has failed now */
  excuses(from: number): boolean {
    return this.began !== undefined || this.past.some((outage) => from <= outage.to);
  }

  /** Resolves at once, or when the outage is over. */
  async over(): Promise<void> {
    if (this.began !== undefined) await once(this.events, 'end');
  }
}
