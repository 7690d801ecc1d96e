import type { RecordedEvent } from '#event-store/events';
import type { Cursor, FeedEntry } from '#event-store/feed';

/** What a subscriber supplies to the bus. */
export interface Subscriber<Event extends FeedEntry = RecordedEvent> {
  name: string;
  /** How many events it handles at once, at most; PROJECTION_BATCH if absent. */
  most?: number;
  /** The subscriber's checkpoints in all partitions that it owns. Asked again when these change, and after each failure. */
  cursors(partitions: number[]): Promise<Cursor[]>;
  /**
   * Handles events of the partitions, in commit order. When it throws, the same events are delivered again.
   * @returns false when the subscriber's checkpoints have moved by other means: the bus asks for its cursors again at once
   */
  handle(events: Event[]): Promise<boolean>;
  /** Does what `handle` has postponed; called when no more events are waiting. @returns as `handle` */
  settle?(): Promise<boolean>;
  /** Tenants whose events the subscriber ignores: these may be delivered without data. Asked before each read. */
  passesOver?(): number[];
}

export interface Subscription {
  /** Finishes the current batch and releases the partitions. */
  stop(): Promise<void>;
  /** The partitions that this process owns now. */
  partitions(): number[];
}

/** Delivers the store's events to subscribers in commit order. At any time one consumer per subscriber name owns a partition. */
export abstract class EventBus {
  abstract subscribe(subscriber: Subscriber): Subscription;
}
