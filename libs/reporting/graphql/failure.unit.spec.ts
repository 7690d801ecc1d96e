import { Logger } from '@nestjs/common';
import { failure } from './failure';

it.each([
  ['a database that is away', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 503, 0],
  ['a programming error', new TypeError('undefined is not a function'), 500, 1],
])('a failure is logged only when somebody has to mend it: %s', (_, error, status, lines) => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  expect(failure(error, 'trace').extensions).toMatchObject({ http: { status } });
  expect(logged).toHaveBeenCalledTimes(lines);
  logged.mockRestore();
});
