import type { Logger } from '@nestjs/common';
import { DomainError } from '#kernel/errors';
import { logFailure } from './failure-log';

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
const bug = new TypeError('x is undefined');
const unavailable = (cause?: Error) =>
  Object.assign(new DomainError('unavailable', 'store_unavailable', 'Try again.'), cause && { cause });
const AWAY = `Requests fail because of a database: ${refused.message}`;

it.each([
  ['a database that is away, as a warning in the same words for every request', refused, { warn: AWAY }],
  ['the cause that a refusal does not show the caller, as a warning', unavailable(refused), { warn: AWAY }],
  [
    'a fault of the program, as an error with its stack',
    bug,
    { error: { msg: bug.message, traceId: 'trace', stack: bug.stack } },
  ],
  ['a refusal without a cause, not at all', unavailable(), {}],
])('logs why a request failed: %s', (_, failure, expected) => {
  const told: Record<string, unknown> = {};
  const log = { warn: (line: unknown) => (told.warn = line), error: (line: unknown) => (told.error = line) };
  logFailure(log as unknown as Logger, failure, 'trace');
  expect(told).toEqual(expected);
});
