/** What all operations of the API description share. */

const text = { type: 'string' };

/** `application/problem+json`, as problem.ts writes it. */
export const problem = {
  type: 'object',
  description: 'RFC 9457, with `success` and `reason` for clients that look for those.',
  required: [
    'type',
    'title',
    'status',
    'detail',
    'instance',
    'code',
    'errors',
    'traceId',
    'success',
    'reason',
  ],
  properties: {
    type: { ...text, example: 'about:blank' },
    title: { ...text, example: 'Unprocessable Content' },
    status: { type: 'integer', example: 422 },
    detail: { ...text, example: 'clientId: the client is not active.' },
    instance: { ...text, example: '/demo/api/v1/matters' },
    code: { ...text, example: 'client_not_active', description: 'Stable; meant for programs.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'message'],
        properties: {
          pointer: { ...text, example: '/clientId', description: 'JSON pointer into the body (RFC 6901).' },
          code: text,
          message: text,
        },
      },
    },
    traceId: text,
    success: { type: 'boolean', enum: [false] },
    reason: { ...text, description: 'The same as `detail`.' },
  },
};

function header(description: string) {
  return { description, schema: text };
}

/** Headers of every answer to a counted request. */
export const answerHeaders = {
  'RateLimit-Policy': header('The limit and its window in seconds, as `"default";q=100;w=60`.'),
  RateLimit: header('What is left of it, as `"default";r=99;t=60`.'),
  'X-Trace-Id': header('Names the request in our logs.'),
};

function refusal(status: number, description: string, headers = {}) {
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return { 'x-status': status, description, headers, content };
}

const retryAfter = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } };

export const refusals = {
  Malformed: refusal(400, 'The body is not JSON, or a query parameter is wrong.'),
  Unauthenticated: refusal(401, 'No token, or not one that is accepted for this tenant.', {
    'WWW-Authenticate': header('RFC 6750.'),
  }),
  Forbidden: refusal(403, '`permission_denied`: the token lacks the permission that `detail` names.'),
  NotFound: refusal(404, 'No such record in this tenant.'),
  Conflict: refusal(409, "The record's present state, or another record, refuses the request."),
  PreconditionFailed: refusal(412, 'The record has another version than `If-Match` says.'),
  TooLarge: refusal(413, 'The body is larger than 1 MiB.'),
  UnsupportedMediaType: refusal(415, 'The body is not JSON.'),
  Invalid: refusal(422, 'The body is well formed, but a rule refuses it; `errors` says where.'),
  TooMany: refusal(429, 'More requests than the integration has in this tenant.', retryAfter),
  Unavailable: refusal(503, 'Cannot be done at the moment; nothing was written.', retryAfter),
};

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
