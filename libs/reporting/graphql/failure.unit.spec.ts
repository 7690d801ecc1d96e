import { Logger } from '@nestjs/common';
import { failure } from './failure';

it.each([
  ['a database that is away', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 503, 'warn'],
  ['a programming error', new TypeError('undefined is not a function'), 500, 'error'],
])('%s is logged at the level that it needs', (_, error, status, level) => {
  const logged: string[] = [];
  for (const each of ['warn', 'error'] as const)
    jest.spyOn(Logger.prototype, each).mockImplementation(() => void logged.push(each));
  expect(failure(error, 'trace').extensions).toMatchObject({ http: { status } });
  expect(logged).toEqual([level]);
  jest.restoreAllMocks();
});
