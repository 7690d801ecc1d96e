import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { malformed } from '#kernel/errors';
import type { RequestContext } from '#platform/request-context';

/** The token of `Authorization: Bearer`, or undefined when there is no such header. @see RFC 6750 section 2.1 */
export function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer +([\w\-.~+/]+=*)$/i.exec(headers.authorization ?? '')?.[1];
}

/**
 * Reads the conditions in a write's headers: `Idempotency-Key` of a POST, `If-Match` of any write.
 * @param request with its body as parsed, so that repeats may differ in white space
 * @throws DomainError malformed
 */
export function conditionsOf(request: {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body?: unknown;
}): Pick<RequestContext, 'idempotency' | 'ifMatch'> {
  const { method, url, headers, body } = request;
  if (method === 'GET' || method === 'HEAD') return {};
  const conditions: Pick<RequestContext, 'idempotency' | 'ifMatch'> = {};
  const key = headers['idempotency-key'];
  if (method === 'POST' && key !== undefined) {
    if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key))
      throw malformed(
        'idempotency_key_invalid',
        'Idempotency-Key must have 1 to 255 printable ASCII characters.',
      );
    const text = `${method}\n${url}\n${JSON.stringify(body) ?? ''}`;
    conditions.idempotency = { key, hash: createHash('sha256').update(text).digest() };
  }
  const ifMatch = headers['if-match']?.trim();
  if (ifMatch !== undefined) conditions.ifMatch = ifMatch === '*' ? ifMatch : entityTags(ifMatch);
  return conditions;
}

const TAG = '(?:W/)?"([\\x21\\x23-\\x7e\\x80-\\xff]*)"';
const TAGS = new RegExp(`^[,\\s]*${TAG}(?:\\s*,[,\\s]*${TAG})*[,\\s]*$`);

/**
 * The text between the quotes of each tag. Weak tags count as strong ones, against the letter of the RFC: a proxy that
 * compresses answers makes their ETags weak, and its clients know no others.
 * @see RFC 9110 sections 8.8.3 and 13.1.1
 */
function entityTags(ifMatch: string): string[] {
  if (!TAGS.test(ifMatch))
    throw malformed('if_match_invalid', 'If-Match must be * or versions in quotes, such as "7".');
  return [...ifMatch.matchAll(new RegExp(TAG, 'g'))].map(([, tag]) => tag);
}

/**
 * Adds an upload to the hash of its Idempotency-Key. The upload is known only after its bytes were read; from then on
 * the hash is that of the whole request.
 */
export function coverUpload({ idempotency }: RequestContext, upload: object): void {
  if (!idempotency) return;
  idempotency.hash = createHash('sha256').update(idempotency.hash).update(JSON.stringify(upload)).digest();
}
