import { randomBytes } from 'node:crypto';
import { DomainError } from '#kernel/errors';

/** The secret that a webhook's owner and the service share. `text` is as the owner gave it. */
export type Secret = { kind: 'standard' | 'guid'; text: string };

/** 422; `message` says what a secret must be. */
export class InvalidSecret extends DomainError {
  constructor(detail: string) {
    super('invalid', 'invalid_secret', detail, [
      { pointer: '/secret', code: 'invalid_secret', message: detail },
    ]);
  }
}

const prefix = 'whsec_';
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const fewestBytes = 24;
const mostBytes = 64;

/** @throws InvalidSecret */
export function parseSecret(text: string): Secret {
  if (guid.test(text)) return { kind: 'guid', text };
  if (!text.startsWith(prefix))
    throw new InvalidSecret(`A secret is ${prefix} and base64, or a GUID with dashes.`);
  const encoded = text.slice(prefix.length);
  const key = Buffer.from(encoded, 'base64');
  // Node skips characters that are not base64, but a receiver's library refuses them or decodes other bytes.
  if (key.toString('base64') !== encoded)
    throw new InvalidSecret(`After ${prefix} comes base64, with + and / and padded with =.`);
  if (key.length < fewestBytes || key.length > mostBytes)
    throw new InvalidSecret(
      `A secret has ${fewestBytes} to ${mostBytes} bytes before base64; this one has ${key.length}.`,
    );
  return { kind: 'standard', text };
}

export function generateSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/** The key of the HMACs. */
export function keyOf({ kind, text }: Secret): Buffer {
  if (kind === 'standard') return Buffer.from(text.slice(prefix.length), 'base64');
  // The bytes are in the order of .NET's Guid.ToByteArray: the first three groups are little-endian numbers.
  const groups = text.split('-').map((group) => Buffer.from(group, 'hex'));
  return Buffer.concat([...groups.slice(0, 3).map((group) => group.reverse()), ...groups.slice(3)]);
}
