/** Bytes that are being read. */
export interface OpenContent {
  size: number;
  /** Some of them, both ends included, as they lie there; all when no range is given. */
  read(range?: { first: number; last: number }): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** What a tenant keeps under some keys. */
export interface KeptContent {
  tenantId: number;
  keys: string[];
}

/**
 * Where the bytes of documents lie. What is kept is never changed: other bytes have another key. Injectable: an abstract
 * class, so that it is its own token.
 */
export abstract class ContentStorage {
  /**
   * Keeps bytes, all of them or none; once it resolves they outlast a crash.
   * @returns the key that they were given, see content-key.ts
   * @throws what the bytes throw, after which nothing of them is left
   */
  abstract keep(tenantId: number, bytes: AsyncIterable<Uint8Array>): Promise<string>;

  /** @returns undefined when nothing is kept under the key */
  abstract open(tenantId: number, key: string): Promise<OpenContent | undefined>;

  /** Removes what may not be there. */
  abstract remove(tenantId: number, key: string): Promise<void>;

  /** What was begun to be kept before an instant, at most some hundreds at a time. */
  abstract keptBefore(instant: Date): AsyncIterable<KeptContent>;

  /**
   * Removes what was begun before an instant and never finished.
   * @returns how many there were
   */
  abstract removeUnfinished(instant: Date): Promise<number>;
}
