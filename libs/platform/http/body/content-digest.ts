import { createHash } from 'node:crypto';
import { invalid, malformed } from '#kernel/errors';

/** A dictionary member whose value is a byte sequence. @see RFC 8941 section 3.3.5 */
const MEMBER = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):$/;

/**
 * The SHA-256 of a `Content-Digest` header, in hex; undefined when the header has no known digest.
 * @see RFC 9530 section 2
 * @throws DomainError `content_digest_invalid`
 */
export function digestOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  let found: string | undefined;
  for (const part of String(header).split(',')) {
    const member = MEMBER.exec(part.trim());
    if (!member)
      throw malformed('content_digest_invalid', 'Content-Digest must have the form sha-256=:<base64>:.');
    if (member[1] !== 'sha-256') continue;
    const digest = Buffer.from(member[2], 'base64');
    if (digest.length !== 32)
      throw malformed('content_digest_invalid', 'Content-Digest must hold 32 bytes for sha-256.');
    found = digest.toString('hex');
  }
  return found;
}

/** The value of `Repr-Digest` for a SHA-256 in hex. @see RFC 9530 section 3 */
export function printDigest(sha256: string): string {
  return `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
}

/**
 * Passes the bytes of a body on, and checks their digest if one is given.
 * @throws DomainError `digest_mismatch` (422) after the last byte
 */
export async function* requireDigest(
  bytes: AsyncIterable<Buffer>,
  sha256: string | undefined,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) {
    if (sha256) hash.update(chunk);
    yield chunk;
  }
  if (sha256) requireSame(sha256, hash.digest('hex'), 'The body');
}

/** @throws DomainError `digest_mismatch` (422) */
export function requireSame(wanted: string, found: string, what: string, field?: string): void {
  if (wanted !== found)
    throw invalid('digest_mismatch', `${what} has the SHA-256 ${found}, not ${wanted}.`, field);
}
