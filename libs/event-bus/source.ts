import type { Cursor, FeedEntry, FeedPage } from '#event-store/feed';

/** Where a consumer gets its events from, and which partitions it may take. */
export interface Source<Event extends FeedEntry> {
  /** The partitions that are this consumer's now. */
  readonly partitions: number[];
  /** Takes what it may. */
  own(): Promise<void>;
  /** Events after each partition's cursor in commit order, about so many of each. */
  read(cursors: Cursor[], limit: number): Promise<FeedPage<Event>>;
  /** Whether there is something behind the cursors that cannot be read yet, and nobody tells when it can be. */
  isHeldBack(cursors: Cursor[]): Promise<boolean>;
  /** Who holds it back, in words for an operator. */
  holder?(): Promise<string>;
  /** Gives everything back. */
  close(): Promise<void>;
}

/** How a source calls its consumer. */
export interface Calls {
  /** There may be something to read. */
  wake(): void;
  /** Partitions have gone. */
  lost(): void;
}
