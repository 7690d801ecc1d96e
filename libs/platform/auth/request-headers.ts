import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '#kernel/errors';
import type { RequestContext } from '#platform/request-context';

/** The token of `Authorization: Bearer`, or undefined when there is no such header. @see RFC 6750 section 2.1 */
export function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer +([\w\-.~+/]+=*)$/i.exec(headers.authorization ?? '')?.[1];
}

/**
 * What a write's headers ask: `Idempotency-Key` of a POST, `If-Match` of any write.
 * @param request its body as parsed, so that spacing does not tell two repeats apart
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
 * What each has between its quotes. Weak ones count as strong ones do, against the letter of the RFC: a proxy that
 * compresses answers makes their ETags weak, and its clients know no others.
 * @see RFC 9110 sections 8.8.3 and 13.1.1
 */
function entityTags(ifMatch: string): string[] {
  if (!TAGS.test(ifMatch))
    throw malformed('if_match_invalid', 'If-Match must be * or versions in quotes, as "7".');
  return [...ifMatch.matchAll(new RegExp(TAG, 'g'))].map(([, tag]) => tag);
}

/** An upload is known once its bytes were read: only now is the hash of its Idempotency-Key that of the whole request. */
export function coverUpload({ idempotency }: RequestContext, upload: object): void {
  if (!idempotency) return;
  idempotency.hash = createHash('sha256').update(idempotency.hash).update(JSON.stringify(upload)).digest();
}

function malformed(code: string, detail: string): DomainError {
  return new DomainError('malformed', code, detail);
}
