import type { RecordedEvent } from '#event-store/events';
import type { Cursor, FeedEntry } from '#event-store/feed';

/** What a subscriber brings. */
export interface Subscriber<Event extends FeedEntry = RecordedEvent> {
  name: string;
  /** Where it stands in the partitions: all that it owns, asked again when they change and after each failure. */
  cursors(partitions: number[]): Promise<Cursor[]>;
  /**
   * Events of the partitions in commit order. When it fails, the same events come again.
   * @returns false when the subscriber no longer stands where it did: it is asked for its cursors again at once
   */
  handle(events: Event[]): Promise<boolean>;
  /** Does what `handle` has put off, as nothing more is at hand for now. @returns as `handle` */
  settle?(): Promise<boolean>;
  /** Tenants of whose events it makes nothing: these may come without their data. It is asked before each reading. */
  passesOver?(): number[];
}

export interface Subscription {
  /** Finishes the batch in hand, gives the partitions back. */
  stop(): Promise<void>;
  /** The partitions that this process owns now. */
  partitions(): number[];
}

/** What consumers see of the store: events in commit order, a partition owned by one consumer of a name at a time. */
export abstract class EventBus {
  abstract subscribe(subscriber: Subscriber): Subscription;
}
