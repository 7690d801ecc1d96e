import type { Logger } from '@nestjs/common';
import { DomainError } from '#kernel/errors';
import { logFailure } from './failure-log';

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
const bug = new TypeError('x is undefined');
const unavailable = (cause?: Error) =>
  Object.assign(new DomainError('unavailable', 'store_unavailable', 'Try again.'), cause && { cause });
const AWAY = `Requests fail because a database does not answer: ${refused.message}`;

it.each([
  ['a database that is away, in the same words for every request', refused, { warn: AWAY }],
  ['what a refusal hides from the caller', unavailable(refused), { warn: AWAY }],
  ['a fault of the program', bug, { error: { msg: bug.message, traceId: 'trace', stack: bug.stack } }],
  ['not a refusal that says all', unavailable(), {}],
])('the reason for a failed request is told: %s', (_, failure, expected) => {
  const told: Record<string, unknown> = {};
  const log = { warn: (line: unknown) => (told.warn = line), error: (line: unknown) => (told.error = line) };
  logFailure(log as unknown as Logger, failure, 'trace');
  expect(told).toEqual(expected);
});
