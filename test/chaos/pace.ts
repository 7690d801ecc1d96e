import { setTimeout as delay } from 'node:timers/promises';

/** Lets a given number of turns through per second. Turns that nobody used are lost. */
export class Pace {
  private next = 0;

  constructor(private readonly perSecond: number) {}

  async turn(): Promise<void> {
    const now = Date.now();
    this.next = Math.max(now, this.next + 1000 / this.perSecond);
    await delay(this.next - now);
  }
}
