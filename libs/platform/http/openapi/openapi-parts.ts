import type { OpenAPIObject } from '@nestjs/swagger';
import { NOT_JSON, TITLES } from '../problem';

/** What all operations of the API description share. */

type Components = NonNullable<OpenAPIObject['components']>;
type Answer = Extract<NonNullable<Components['responses']>[string], { description: string }>;

const text = { type: 'string' };

function header(description: string) {
  return { description, schema: text };
}

export const headers = {
  'RateLimit-Policy': header(
    'The number of requests that are allowed (`q`) in a window of `w` seconds, such as `"default";q=100;w=60`.',
  ),
  RateLimit: header(
    'The number of requests that are left (`r`), and the seconds until the window ends (`t`), such as ' +
      '`"default";r=99;t=60`.',
  ),
  'X-Trace-Id': header('Identifies the request in the logs of the service.'),
  ETag: header("The record's version, for `If-Match`."),
  'X-Event-Position': header(
    'The position of the write. A read that sends it as `X-Min-Position` sees the write. Absent when there was ' +
      'nothing to change.',
  ),
  'Idempotent-Replayed': header(
    '`true` when the answer is that to an earlier request with the same Idempotency-Key.',
  ),
  'Preference-Applied': header('`return=representation`, where `Prefer` asked for it (RFC 7240).'),
};

function references(...names: (keyof typeof headers)[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** References to headers: those of every counted request, and the given ones. */
export const headersWith = (...more: (keyof typeof headers)[]) =>
  references('RateLimit-Policy', 'RateLimit', 'X-Trace-Id', ...more);

const rateLimit = references('RateLimit-Policy', 'RateLimit');
export const retryAfter = {
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
};

/** A refusal that a client must expect: its name, its possible values of `code`, and the `detail` of the first. */
function refusal(
  status: number,
  name: string,
  description: string,
  [code, ...more]: string[],
  detail: string,
  own: Answer['headers'] = rateLimit,
) {
  const codes = [code, ...more].map((each) => `\`${each}\``).join(', ');
  const example = {
    type: 'about:blank',
    title: TITLES[status],
    status,
    detail,
    instance: '/demo/api/v1/matters',
    code,
    errors: [],
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    success: false,
    reason: detail,
  };
  const schema = { $ref: '#/components/schemas/Problem' };
  const content = { 'application/problem+json': { schema, example } };
  const answer: Answer = { description: `${description} \`code\`: ${codes}.`, headers: own, content };
  return [status, { name, answer }] as const;
}

const refusals = new Map([
  refusal(
    400,
    'Malformed',
    'The body is not JSON, or a parameter or header is wrong.',
    [
      'invalid_query',
      'malformed_json',
      'too_deep',
      'too_many_parts',
      'malformed_request',
      'invalid_position',
      'if_match_invalid',
      'idempotency_key_invalid',
      'page_too_large',
      'file_missing',
      'malformed_form',
      'field_repeated',
      'field_too_long',
      'too_many_files',
      'body_incomplete',
      'content_digest_invalid',
    ],
    'pageSize must be at most 200',
  ),
  refusal(
    401,
    'Unauthenticated',
    'The access token is missing, or is not accepted for this tenant.',
    ['invalid_token'],
    'A valid access token for this tenant is needed.',
    { 'WWW-Authenticate': header('The challenge of RFC 6750.') },
  ),
  refusal(
    403,
    'Forbidden',
    'The token lacks the permission that `detail` names.',
    ['permission_denied'],
    'The permission matters:read is missing.',
  ),
  refusal(404, 'NotFound', 'There is no such record in this tenant.', ['not_found'], 'No such matter.'),
  refusal(
    408,
    'TooSlow',
    'The body did not arrive in time: within 30 seconds, or ten minutes for a document. The connection is closed.',
    ['body_too_slow', 'request_too_slow'],
    'The body was not received in time.',
  ),
  refusal(
    409,
    'Conflict',
    'The present state of the record, or another record, does not allow the request.',
    ['in_use', 'concurrent_update', 'external_reference_taken', '<key>_taken', '<a rule of the area>'],
    'The client is used by 2 other records.',
  ),
  refusal(
    412,
    'PreconditionFailed',
    'The record has another version than `If-Match` names.',
    ['version_mismatch'],
    'The record is at version 3, which If-Match does not name.',
    { ...rateLimit, ...references('ETag') },
  ),
  refusal(
    413,
    'TooLarge',
    'The body is larger than 1 MiB, a document is larger than 100 MiB, or a part of the body is larger than is ' +
      'allowed.',
    ['body_too_large', '<part>_too_large'],
    'Request body is too large',
  ),
  refusal(415, 'UnsupportedMediaType', 'The body is not JSON.', ['unsupported_media_type'], NOT_JSON),
  refusal(
    416,
    'RangeNotSatisfiable',
    'The document does not have the bytes that `Range` asks for. `Content-Range` says how many it has.',
    ['range_not_satisfiable'],
    'The file has 48213 bytes, none of them in that range.',
    { ...rateLimit, 'Content-Range': header('`bytes */<size>`.') },
  ),
  refusal(
    422,
    'Invalid',
    'The request is well formed, but breaks a rule. `errors` says which fields do.',
    [
      'validation_failed',
      'not_an_object',
      'invalid_text',
      'number_too_large',
      'idempotency_key_reused',
      'digest_mismatch',
      '<kind>_not_found',
      '<kind>_not_active',
      '<a rule of the area>',
    ],
    'title is required',
  ),
  refusal(
    429,
    'TooMany',
    'The integration has made more requests than it is allowed in this tenant.',
    ['rate_limited'],
    'At most 100 requests in 60 seconds.',
    { ...rateLimit, ...retryAfter },
  ),
  refusal(
    503,
    'Unavailable',
    'The request cannot be carried out at the moment. Try again later.',
    [
      'database_unavailable',
      'store_unavailable',
      'position_not_reached',
      'not_yet_visible',
      'tenant_not_ready',
      'storage_unavailable',
      'content_unavailable',
      'upload_expired',
      'promotion_in_progress',
      'answers_unread',
      'lists_busy',
    ],
    'The database does not answer at the moment.',
    { ...rateLimit, ...retryAfter },
  ),
]);

/** The refusals, by their names in the description. */
export const refusalAnswers = Object.fromEntries(
  [...refusals.values()].map(({ name, answer }) => [name, answer]),
);

/** References to refusals, by status. */
export function refusalsWith(...statuses: number[]): Record<number, { $ref: string }> {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${refusals.get(status)!.name}` }]),
  );
}

export const parameters = {
  tenant: {
    name: 'tenant',
    in: 'path' as const,
    required: true,
    description: "The tenant's alias.",
    schema: text,
    example: 'demo',
  },
  minPosition: {
    name: 'X-Min-Position',
    in: 'header' as const,
    required: false,
    description:
      'The `X-Event-Position` of a write. The request waits up to 5 seconds until that write can be read.',
    schema: text,
  },
};
