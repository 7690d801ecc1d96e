import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const version = 1;
const ivLength = 12;
const tagLength = 16;
const keyLength = 32;

/** The kind of a sealed value. It is authenticated, so that a value of one kind never opens as the other. */
type Purpose = 'text' | 'key';

/** The key is not the one that sealed the value, or the value was changed. */
export class SecretsError extends Error {}

/**
 * Encrypts stored values with SECRETS_KEY: AES-256-GCM, with a fresh random nonce for each value. Values that another
 * accepted key has sealed open too. A module with a column of such values declares it as a SealedColumn.
 * A sealed value is one byte of format version, the nonce (12 bytes), the tag (16 bytes) and the cipher text.
 */
export class Secrets {
  /**
   * @param key 32 bytes: the key that seals
   * @param accepted keys that have sealed before
   */
  constructor(
    private readonly key: Buffer,
    private readonly accepted: readonly Buffer[] = [],
  ) {
    if ([key, ...accepted].some(({ length }) => length !== keyLength))
      throw new SecretsError('SECRETS_KEY must be 32 bytes.');
  }

  /** Seals a text, such as the private part of a signing key; the result is base64url. */
  seal(plain: string): string {
    return this.encrypt(Buffer.from(plain, 'utf8'), 'text').toString('base64url');
  }

  /** @throws SecretsError when another key sealed it, or it was changed */
  open(sealed: string): string {
    return this.decrypt(Buffer.from(sealed, 'base64url'), 'text').toString('utf8');
  }

  /** @returns the value sealed with SECRETS_KEY; undefined when it already is. @throws as `open` */
  reseal(sealed: string): string | undefined {
    return this.isOwn(Buffer.from(sealed, 'base64url'), 'text') ? undefined : this.seal(this.open(sealed));
  }

  /** Wraps a data key of 32 bytes; the result has 61. */
  wrapKey(dataKey: Buffer): Buffer {
    if (dataKey.length !== keyLength) throw new SecretsError('A data key must be 32 bytes.');
    return this.encrypt(dataKey, 'key');
  }

  /** @throws SecretsError when another key wrapped it, or it was changed */
  unwrapKey(wrapped: Buffer): Buffer {
    return this.decrypt(wrapped, 'key');
  }

  /** As `reseal`, for a data key. */
  rewrapKey(wrapped: Buffer): Buffer | undefined {
    return this.isOwn(wrapped, 'key') ? undefined : this.wrapKey(this.unwrapKey(wrapped));
  }

  private isOwn(sealed: Buffer, purpose: Purpose): boolean {
    try {
      decrypt(this.key, sealed, purpose);
      return true;
    } catch {
      return false;
    }
  }

  private encrypt(plain: Buffer, purpose: Purpose): Buffer {
    const iv = randomBytes(ivLength);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv, { authTagLength: tagLength });
    cipher.setAAD(Buffer.from(purpose));
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), body]);
  }

  private decrypt(sealed: Buffer, purpose: Purpose): Buffer {
    if (sealed[0] !== version || sealed.length < 1 + ivLength + tagLength)
      throw new SecretsError('The sealed value has an unknown format.');
    let cause: unknown;
    for (const key of [this.key, ...this.accepted]) {
      try {
        return decrypt(key, sealed, purpose);
      } catch (error) {
        cause = error;
      }
    }
    throw new SecretsError('SECRETS_KEY does not open a stored secret: it is not the key that sealed it.', {
      cause,
    });
  }
}

/** @throws when another key sealed it, or it was changed */
function decrypt(key: Buffer, sealed: Buffer, purpose: Purpose): Buffer {
  const iv = sealed.subarray(1, 1 + ivLength);
  const tag = sealed.subarray(1 + ivLength, 1 + ivLength + tagLength);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(1 + ivLength + tagLength)), decipher.final()]);
}
