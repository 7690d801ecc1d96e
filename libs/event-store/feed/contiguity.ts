import { LRUCache } from 'lru-cache';
import type { FeedEntry } from '../feed';

/** The feed delivered a stream's versions in another order than they were written in. */
export class FeedOutOfOrder extends Error {
  constructor({ tenantId, streamId, version, at }: FeedEntry, before: number) {
    super(
      `The feed is out of order at ${at.epoch}.${at.transactionId}.${at.position}: ` +
        `version ${version} of stream ${streamId} (tenant ${tenantId}) came after version ${before}. Reading stops here.`,
    );
  }
}

/** Checks that the versions of each stream arrive without gaps, for the most recently seen streams. */
export class Contiguity {
  private readonly versions = new LRUCache<string, number>({ max: 50_000 });

  /** @throws FeedOutOfOrder */
  check(events: readonly FeedEntry[]): void {
    for (const event of events) {
      const stream = `${event.tenantId}/${event.streamId}`;
      const before = this.versions.get(stream) ?? (event.version === 1 ? 0 : undefined);
      if (before !== undefined && event.version !== before + 1) throw new FeedOutOfOrder(event, before);
      this.versions.set(stream, event.version);
    }
  }

  /** Forgets all versions, so that the same events may be read again. */
  clear(): void {
    this.versions.clear();
  }
}
