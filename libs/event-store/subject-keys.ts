import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { wrappedKeys } from '#platform/resealing';
import { Secrets } from '#platform/secrets';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/**
 * Time to live of cached keys. An erased person's key must be gone from every process within 5 s, even from a process
 * that cannot reach the store.
 */
const CACHE_MS = 4_000;

export const wrappedSubjectKeys = wrappedKeys(
  'event_store.subject_keys',
  ['tenant_id', 'subject'],
  'wrapped',
);

/** Creates, wraps, unwraps and uses the data keys of people (AES-256-GCM, NIST SP 800-38D). */
@Injectable()
export class SubjectKeys {
  /**
   * Unwrapped keys by their wrapped form, which is read from the store for each use: a destroyed key is never looked
   * up.
   */
  private readonly unwrapped = new LRUCache<string, Buffer>({
    max: 10_000,
    ttl: CACHE_MS,
    // Needed because a destroyed key is never looked up again, so nothing else would drop it.
    ttlAutopurge: true,
    dispose: (key) => key.fill(0),
  });

  constructor(private readonly secrets: Secrets) {}

  create(): { key: Buffer; wrapped: Buffer } {
    const key = randomBytes(32);
    return { key, wrapped: this.secrets.wrapKey(key) };
  }

  /** @returns the key, which must be used at once: it is wiped when the cache drops it */
  unwrap(wrapped: Buffer): Buffer {
    const name = wrapped.toString('latin1');
    let key = this.unwrapped.get(name);
    if (!key) {
      key = this.secrets.unwrapKey(wrapped);
      this.unwrapped.set(name, key);
    }
    return key;
  }

  /** Encrypts an object for one stream, with the stream's id as authenticated data. Returns Base64. */
  seal(key: Buffer, streamId: string, plain: object): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(streamId));
    const body = Buffer.concat([cipher.update(JSON.stringify(plain), 'utf8'), cipher.final()]);
    return Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64');
  }

  open(key: Buffer, streamId: string, sealed: string): object {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(streamId))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    const body = bytes.subarray(IV_BYTES, -TAG_BYTES);
    return JSON.parse(Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8'));
  }
}
