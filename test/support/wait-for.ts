import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until the condition returns something truthy, and returns that.
 * @param everyMs pause between two calls; longer if a call is costly and the wait long
 * @throws with the description when the time is over; the default of a minute is a limit for what hangs, not for what
 * is slow
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  {
    everyMs = 10,
    timeoutMs = 60_000,
    description,
  }: { everyMs?: number; timeoutMs?: number; description: string },
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain for ${description}`);
    await delay(everyMs);
  }
}
