import type { OpenAPIObject } from '@nestjs/swagger';

/** What all operations of the API description share. */

type Components = NonNullable<OpenAPIObject['components']>;
type Answer = Extract<NonNullable<Components['responses']>[string], { description: string }>;

const text = { type: 'string' };
const fieldError = {
  type: 'object',
  required: ['pointer', 'code', 'message'],
  properties: {
    pointer: { ...text, example: '/clientId', description: 'JSON pointer into the body (RFC 6901).' },
    code: text,
    message: text,
  },
};
const problemMembers = {
  type: { ...text, example: 'about:blank' },
  title: { ...text, example: 'Unprocessable Content' },
  status: { type: 'integer', example: 422 },
  detail: { ...text, example: 'clientId: the client is not active.' },
  instance: { ...text, example: '/demo/api/v1/matters' },
  code: { ...text, example: 'client_not_active', description: 'Stable; meant for programs.' },
  errors: { type: 'array', items: fieldError },
  traceId: text,
  success: { type: 'boolean', enum: [false] },
  reason: { ...text, description: 'The same as `detail`.' },
};

/** `application/problem+json`, as problem.ts writes it. */
export const problem = {
  type: 'object',
  description: 'RFC 9457, with `success` and `reason` for clients that look for those.',
  required: Object.keys(problemMembers),
  properties: problemMembers,
};

function header(description: string) {
  return { description, schema: text };
}

export const headers = {
  'RateLimit-Policy': header('The limit and its window in seconds, as `"default";q=100;w=60`.'),
  RateLimit: header('What is left of it, as `"default";r=99;t=60`.'),
  'X-Trace-Id': header('Names the request in our logs.'),
  ETag: header("The record's version, for `If-Match`."),
  'X-Event-Position': header('Names the write, for `X-Min-Position`.'),
  'Idempotent-Replayed': header('`true`: the answer to the first request with this key.'),
};

/** References to headers: those of every counted request, and more. */
export function headersWith(...more: (keyof typeof headers)[]): Record<string, { $ref: string }> {
  const names = ['RateLimit-Policy', 'RateLimit', 'X-Trace-Id', ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function refusal(name: string, description: string, own?: Answer['headers']) {
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return { name, answer: { description, headers: own, content } satisfies Answer };
}

const challenge = { 'WWW-Authenticate': header('RFC 6750.') };
const retryAfter = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } };

const refusals: Record<number, ReturnType<typeof refusal>> = {
  400: refusal('Malformed', 'The body is not JSON, or a query parameter is wrong.'),
  401: refusal('Unauthenticated', 'No token, or not one that is accepted for this tenant.', challenge),
  403: refusal('Forbidden', '`permission_denied`: the token lacks the permission that `detail` names.'),
  404: refusal('NotFound', 'No such record in this tenant.'),
  409: refusal('Conflict', "The record's present state, or another record, refuses the request."),
  412: refusal('PreconditionFailed', 'The record has another version than `If-Match` says.'),
  413: refusal('TooLarge', 'The body is larger than 1 MiB.'),
  415: refusal('UnsupportedMediaType', 'The body is not JSON.'),
  422: refusal('Invalid', 'The request is well formed, but a rule refuses it; `errors` says where.'),
  429: refusal('TooMany', 'More requests than the integration has in this tenant.', retryAfter),
  503: refusal('Unavailable', 'Cannot be done at the moment.', retryAfter),
};

/** The refusals, by the name under which the description has them. */
export const refusalAnswers = Object.fromEntries(
  Object.values(refusals).map(({ name, answer }) => [name, answer]),
);

/** References to refusals, by status. */
export function refusalsWith(...statuses: number[]): Record<number, { $ref: string }> {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${refusals[status].name}` }]),
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
    description: 'An `X-Event-Position`: waits, up to 5 s, until that write can be read.',
    schema: text,
  },
};
