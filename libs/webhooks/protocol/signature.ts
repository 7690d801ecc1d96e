import { createHmac } from 'node:crypto';
import { keyOf, type Secret } from './secret';

interface Message {
  /** `evt_…`, the same on every attempt. */
  id: string;
  /** A GUID, the same on every attempt of one delivery. */
  requestId: string;
  tenantAlias: string;
  /** The instant of this attempt. */
  at: Date;
  /** Exactly the bytes that are sent. */
  body: string | Buffer;
}

/**
 * The headers by which receivers verify the sender: those of Standard Webhooks, and those that existing clients expect.
 * @param secrets newest first; more than one while a secret is being rotated
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signedHeaders(message: Message, secrets: readonly Secret[]): Record<string, string> {
  if (secrets.length === 0) throw new Error(`Delivery ${message.id} has no secret to be signed with.`);
  const seconds = String(Math.floor(message.at.getTime() / 1000));
  // .NET's round-trip format: ticks of 100 ns.
  const timestamp = message.at.toISOString().replace('Z', '0000Z');
  const signed = `${message.id}.${seconds}.`;
  const headers: Record<string, string> = {
    'webhook-id': message.id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => `v1,${hmac(keyOf(secret), signed, message.body)}`).join(' '),
    'X-PE2-REQUEST-ID': message.requestId,
    'X-PE2-TIMESTAMP': timestamp,
    'X-PE2-TENANT-ALIAS': message.tenantAlias,
  };
  // This header has room for one signature. While a secret is rotated from a GUID to another kind, it is that of the
  // GUID.
  const guid = secrets.find(({ kind }) => kind === 'guid');
  if (guid)
    headers['X-PE2-WEBHOOK-SIGNATURE'] =
      `HMACSHA256:${hmac(keyOf(guid), `${message.requestId}|${timestamp}`)}`;
  return headers;
}

/** The HMAC as base64. */
function hmac(key: Buffer, ...parts: (string | Buffer)[]): string {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest('base64');
}
