const text = { type: 'string' };
const fieldError = {
  type: 'object',
  required: ['pointer', 'code', 'message'],
  properties: {
    pointer: { ...text, example: '/clientId', description: 'JSON pointer into the body (RFC 6901).' },
    code: { ...text, description: 'The kind of fault, for programs.' },
    message: { ...text, description: 'What is wrong, as a text for people.' },
  },
};
const problemMembers = {
  type: {
    ...text,
    example: 'about:blank',
    description: 'Always `about:blank`: `code` tells problems apart.',
  },
  title: { ...text, example: 'Unprocessable Content', description: 'The name of the HTTP status.' },
  status: { type: 'integer', example: 422, description: 'The HTTP status.' },
  detail: {
    ...text,
    example: 'clientId: the client is not active.',
    description: 'What is wrong, as a text for people.',
  },
  instance: { ...text, example: '/demo/api/v1/matters', description: 'The address of the request.' },
  code: {
    ...text,
    example: 'client_not_active',
    description: 'The kind of problem, for programs. A code never changes its meaning.',
  },
  errors: {
    type: 'array',
    items: fieldError,
    description: 'The faults of single fields; empty if there are none.',
  },
  traceId: { ...text, description: 'Identifies the request in the logs of the service.' },
  success: { type: 'boolean', enum: [false], description: 'Always false.' },
  reason: { ...text, description: 'The same as `detail`.' },
};

/** `application/problem+json`, as problem.ts writes it. */
export const problem = {
  type: 'object',
  description:
    'Problem details (RFC 9457), with the members `success` and `reason` for clients that expect them.',
  required: Object.keys(problemMembers),
  properties: problemMembers,
};
