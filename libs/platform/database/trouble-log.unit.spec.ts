import { Logger } from '@nestjs/common';
import { DomainError } from '#kernel/errors';
import { logTrouble } from './trouble-log';

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const unavailable = new DomainError('unavailable', 'store_unavailable', 'The store does not answer.');

it.each([
  ['warn', 'a database that is away', refused],
  ['warn', 'one that is away, as the event store tells it', Object.assign(unavailable, { cause: refused })],
  ['error', 'a refusal', new DomainError('conflict', 'tenant_closed', 'The tenant is closed.')],
  ['error', 'anything else', new TypeError('undefined is not a function')],
] as const)('logs at level %s what is held up by %s', (level, _what, error) => {
  const told = (['error', 'warn'] as const).map((each) =>
    jest.spyOn(Logger.prototype, each).mockImplementation(),
  );
  logTrouble(new Logger(), 'Nothing goes on', error);
  const lines = { error: told[0].mock.calls, warn: told[1].mock.calls };
  expect(lines).toEqual({ error: [], warn: [], [level]: [['Nothing goes on']] });
  jest.restoreAllMocks();
});
