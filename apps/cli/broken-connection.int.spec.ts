import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { testConfig } from '../../test/support/auth-application';
import { run } from './cli';

/** PostgreSQL's messages AuthenticationOk and ReadyForQuery. */
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');

it('a database that breaks the connection during the first query is reported in one line', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(WELCOME);
      socket.once('data', () => socket.destroy());
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `postgres://somebody@127.0.0.1:${(server.address() as AddressInfo).port}/practice`;
  const err: string[] = [];
  const terminal = { config: () => testConfig(url), out: jest.fn(), err: (text: string) => err.push(text) };
  const code = await run(['tenants', 'list', '--json'], terminal);
  server.close();
  expect([code, err.map((line) => JSON.parse(line).error.code)]).toEqual([1, ['database_unreachable']]);
});
