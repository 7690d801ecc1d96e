import { setTimeout as delay } from 'node:timers/promises';
import type { Feed } from '#event-store/feed';
import { comparePositions, type Position, START } from '#event-store/position';
import type { TenantRef } from '#platform/request-context';

const POLL_MS = 100;

/**
 * Waits until the feed delivers an event of the tenant. An open transaction anywhere in the event store's server holds
 * the event back.
 * @returns the end of the tenant's partition, as far as the feed delivers it then
 */
export async function delivered(
  feed: Feed,
  { partition }: Pick<TenantRef, 'partition'>,
  event: Position,
  signal?: AbortSignal,
): Promise<Position> {
  for (;;) {
    const head = (await feed.heads()).get(partition) ?? START;
    if (comparePositions(head, event) >= 0) return head;
    await pause(signal);
  }
}

/** Waits for the next poll. @throws the signal's reason */
export async function pause(signal?: AbortSignal): Promise<void> {
  await delay(POLL_MS);
  signal?.throwIfAborted();
}
