import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until the condition gives something truthy, and returns that.
 * @throws when it has not within the time (a minute by default: a limit for what hangs, not for what is slow), naming the description
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 60_000, description }: { timeoutMs?: number; description: string },
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain for ${description}`);
    await delay(10);
  }
}
