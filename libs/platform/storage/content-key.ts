import { v7 } from 'uuid';

const KEY = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A new key for bytes: a UUIDv7 (RFC 9562), which reveals nothing but when they came. */
export function newContentKey(now: Date): string {
  return v7({ msecs: now.getTime() });
}

export function isContentKey(text: string): boolean {
  return KEY.test(text);
}

/** When the bytes of a key began to arrive. */
export function begunAt(key: string): Date {
  return new Date(Number.parseInt(key.slice(0, 8) + key.slice(9, 13), 16));
}
