import { setTimeout as delay } from 'node:timers/promises';
import { pauseBetweenLooks } from '#kernel/looks';

/** A read model that stands still must not make those who wait for it keep the database busy. */
const LOOKS = { first: 4, last: 50 };

/** Reads again and again, less and less often, until there is enough or the time is over. @returns what was read last */
export async function readUntil<Found>(
  read: () => Promise<Found>,
  isEnough: (found: Found) => boolean,
  milliseconds: number,
): Promise<Found> {
  const started = performance.now();
  for (;;) {
    const found = await read();
    const waited = performance.now() - started;
    if (isEnough(found) || waited >= milliseconds) return found;
    await delay(pauseBetweenLooks(waited, LOOKS));
  }
}
