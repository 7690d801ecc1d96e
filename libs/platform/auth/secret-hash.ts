import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * The cost takes about 40 ms. Secrets are 256 random bits, so a higher cost would guard against little, and requests
 * must not queue. It is four times 4 MiB one after the other, not 16 MiB at once: each of the pool's four threads keeps
 * the memory that it has taken, which would be 67 MB for as long as the process runs.
 */
const cost = { logN: 12, r: 8, p: 4 };
const length = 32;
const pattern = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/** A new client secret: 256 random bits, 43 characters that need no escaping in a form or a header. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Hashes a secret as `$scrypt$ln=12,r=8,p=4$<salt>$<hash>`. The hash includes its parameters, so that they can be
 * raised later.
 */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(secret, salt, cost.logN, cost.r, cost.p, length);
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$scrypt$ln=${cost.logN},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`;
}

/** Compares in constant time. @throws when the stored text has another format */
export async function verifySecret(secret: string, stored: string): Promise<boolean> {
  const match = pattern.exec(stored);
  if (!match) throw new Error('A stored secret hash has an unknown format.');
  const [logN, r, p] = match.slice(1, 4).map(Number);
  const [salt, expected] = match.slice(4).map((text) => Buffer.from(text, 'base64'));
  return timingSafeEqual(await derive(secret, salt, logN, r, p, expected.length), expected);
}

function derive(secret: string, salt: Buffer, logN: number, r: number, p: number, keylen: number) {
  const N = 2 ** logN;
  const derived = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
  return derived(secret, salt, keylen, { N, r, p, maxmem: 256 * N * r });
}
