import type { Cursor, FeedEntry, FeedPage } from '#event-store/feed';

/** Where a consumer gets its events from, and which partitions it may take. */
export interface FeedSource<Event extends FeedEntry> {
  /** The partitions that are this consumer's now. */
  readonly partitions: number[];
  /** The reason why nothing is delivered, as long as that is so. */
  readonly problem?: string;
  /** Acquires the partitions that are free. */
  own(): Promise<void>;
  /** The events after each partition's cursor, in commit order. @param limit roughly how many events of each partition */
  read(cursors: Cursor[], limit: number): Promise<FeedPage<Event>>;
  /** Whether events after the cursors cannot be read yet, and no signal will come when they can. */
  isHeldBack(cursors: Cursor[]): Promise<boolean>;
  /** The session that holds the events back, in words for an operator. */
  holder?(): Promise<string>;
  /** Releases all partitions for now, so that others may take them. Missing where others decide who owns them. */
  release?(): Promise<void>;
  /** Releases all partitions for good. */
  close(): Promise<void>;
}

/** Callbacks by which a source notifies its consumer. */
export interface Calls {
  /** There may be new events. */
  wake(): void;
  /** Some partitions are no longer this consumer's. */
  lost(): void;
}
