/** Stored bytes that are open for reading. */
export interface OpenContent {
  size: number;
  /** Reads a range, both ends included, of the stored bytes; without a range all of them. */
  read(range?: { first: number; last: number }): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** Keys under which a tenant has stored bytes. */
export interface KeptContent {
  tenantId: number;
  keys: string[];
}

/**
 * The store of the documents' bytes. Stored bytes never change: other bytes get another key. An abstract class, so that
 * it is its own injection token.
 */
export abstract class ContentStorage {
  /**
   * Checks that bytes can be stored. Called when a process that stores them starts.
   * @throws ConfigError when the storage refuses, or does not answer
   */
  abstract requireWritable(): Promise<void>;

  /**
   * Stores bytes, all of them or none; once it resolves they survive a crash.
   * @returns the key that they were given, see content-key.ts
   * @throws the error of `bytes`, after which none of them are left
   */
  abstract keep(tenantId: number, bytes: AsyncIterable<Uint8Array>): Promise<string>;

  /** @returns undefined when nothing is stored under the key */
  abstract open(tenantId: number, key: string): Promise<OpenContent | undefined>;

  /** Removes the bytes of a key, which need not exist. */
  abstract remove(tenantId: number, key: string): Promise<void>;

  /** The keys of bytes that began to be stored before an instant, at most some hundreds at a time. */
  abstract keptBefore(instant: Date): AsyncIterable<KeptContent>;

  /**
   * Removes bytes that began to be stored before an instant and never finished.
   * @returns how many there were
   */
  abstract removeUnfinished(instant: Date): Promise<number>;
}
