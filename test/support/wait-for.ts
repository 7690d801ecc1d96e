import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until the condition gives something truthy, and returns that.
 * @param everyMs between two questions; more where a question costs something and the wait is long
 * @throws when it has not within the time (a minute by default: a limit for what hangs, not for what is slow), naming the description
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
