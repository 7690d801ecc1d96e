import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { keyOf, type Secret } from '#webhooks/protocol/secret';

/** The result for a signature: `verified`, `absent`, or why it is wrong. */
export type Verdict = string;

const tolerance = 5 * 60_000;

/**
 * Verifies the signature of the Standard Webhooks specification, with its own library. One matching secret is enough.
 */
export function verifyStandard(
  headers: IncomingHttpHeaders,
  body: string,
  secrets: readonly Secret[],
): Verdict {
  if (headers['webhook-signature'] === undefined) return 'absent';
  return best(secrets, (secret) => {
    try {
      new Webhook(keyOf(secret), { format: 'raw' }).verify(body, headers as Record<string, string>, {
        jsonParse: false,
      });
      return 'verified';
    } catch (error) {
      return (error as Error).message;
    }
  });
}

/**
 * Verifies the signature of the specified service, with the GUIDs among the secrets, over the request's id and time.
 */
export function verifyPe2(
  headers: IncomingHttpHeaders,
  body: string,
  secrets: readonly Secret[],
  now = new Date(),
): Verdict {
  const [given, requestId, timestamp] = ['webhook-signature', 'request-id', 'timestamp'].map((name) =>
    String(headers[`x-pe2-${name}`] ?? ''),
  );
  if (given === '') return 'absent';
  const guids = secrets.filter(({ kind }) => kind === 'guid');
  if (guids.length === 0) return 'No secret is a GUID';
  if (!(Math.abs(now.getTime() - Date.parse(timestamp)) <= tolerance)) return 'Not of the last 5 minutes';
  if (requestIdOf(body) !== requestId) return "Not of this body: its requestId is another than the header's";
  const givenBytes = Buffer.from(given);
  return best(guids, (secret) => {
    const signature = createHmac('sha256', keyOf(secret))
      .update(`${requestId}|${timestamp}`)
      .digest('base64');
    const expected = Buffer.from(`HMACSHA256:${signature}`);
    const isRight = expected.length === givenBytes.length && timingSafeEqual(expected, givenBytes);
    return isRight ? 'verified' : 'No matching signature found';
  });
}

function best(secrets: readonly Secret[], verdictOf: (secret: Secret) => Verdict): Verdict {
  const verdicts = secrets.map(verdictOf);
  return verdicts.find((verdict) => verdict === 'verified') ?? verdicts[0];
}

function requestIdOf(body: string): unknown {
  try {
    return JSON.parse(body)?.requestId;
  } catch {
    return undefined; // not JSON: shown as it came
  }
}
