import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { loadConfig } from '#platform/config';
import { SourceConnection } from './source-connection';
import { SourceHosts } from './source-hosts';
import { readSettings } from './source-settings';

const PASSWORD = 'Zq7xSecret';
let server: Server;
let heard: Buffer;
let asked: string[];
let addresses: string[];
/** The answer of the name servers. */
let answer: () => Promise<string[]>;

/** Starts a server that answers the first packet with the given number for its encryption. */
async function start(encryption: number): Promise<void> {
  heard = Buffer.alloc(0);
  const payload = Buffer.from([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff, 16, 0, 0, 0, 0, 0, encryption]);
  const answer = Buffer.concat([Buffer.from([4, 1, 0, 8 + payload.length, 0, 0, 1, 0]), payload]);
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(answer));
    socket.on('data', (chunk) => (heard = Buffer.concat([heard, chunk])));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

afterEach(() => server?.close());

async function failureOf(environment: Record<string, string>, host: string, settings = ''): Promise<Error> {
  const hosts = new SourceHosts(loadConfig(environment));
  const { port } = server.address() as AddressInfo;
  const text = `Server=${host},${port};User ID=reader;Password=${PASSWORD};Connect Timeout=2;${settings}`;
  const resolve = async (name: string) => {
    asked.push(name);
    return answer();
  };
  const options = { hosts, resolve, stallMs: 2_000, signal: new AbortController().signal };
  return SourceConnection.open(readSettings(text, hosts), options).then(
    () => new Error('It connected'),
    (error: Error) => error,
  );
}

beforeEach(() => {
  asked = [];
  addresses = ['127.0.0.1'];
  answer = async () => addresses;
});

it.each([
  [0, 'off'],
  [2, 'not supported'],
  [9, 'no such thing'],
])('sends no login to a server whose encryption is %i, %s', async (encryption) => {
  await start(encryption);
  const failure = await failureOf({ IMPORT_ALLOW_INSECURE: 'true' }, '127.0.0.1');
  expect(failure).toMatchObject({ code: 'not_encrypted', kind: 'lasting' });
  expect(heard[0]).toBe(0x12);
  expect(heard.length).toBe(heard.readUInt16BE(2));
});

it('sends the login unencrypted where the operator and the customer both want no encryption', async () => {
  await start(2);
  await failureOf({ IMPORT_ALLOW_INSECURE: 'true' }, '127.0.0.1', 'Encrypt=false');
  expect(heard.subarray(heard.readUInt16BE(2))[0]).toBe(0x10);
});

it('resolves a name itself, and does not connect when one of its addresses is not allowed', async () => {
  await start(1);
  expect(await failureOf({}, 'sql.firm.example')).toMatchObject({ code: 'host_not_allowed' });
  addresses = ['8.8.8.8', '127.0.0.1'];
  expect(await failureOf({}, 'sql.firm.example')).toMatchObject({ code: 'host_not_allowed' });
  expect(asked).toEqual(['sql.firm.example', 'sql.firm.example']);
  expect(heard).toHaveLength(0);
});

it.each([
  ['EAI_AGAIN', { code: 'host_not_resolved', kind: 'busy' }],
  ['ETIMEOUT', { code: 'timed_out', kind: 'lost' }],
  ['ENOTFOUND', { code: 'host_unknown', kind: 'lasting' }],
])('distinguishes an unknown name from name servers that do not answer: %s', async (code, failure) => {
  await start(1);
  answer = () => Promise.reject(Object.assign(new Error(`${code} sql.firm.example`), { code }));
  expect(await failureOf({}, 'sql.firm.example')).toMatchObject(failure);
});

it('reports a name without an address, and a server that refuses the connection', async () => {
  await start(1);
  addresses = [];
  expect(await failureOf({}, 'sql.firm.example')).toMatchObject({ code: 'host_not_allowed' });
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  jest.spyOn(server, 'address').mockReturnValue({ port, family: 'IPv4', address: '127.0.0.1' });
  expect(await failureOf({ IMPORT_ALLOW_INSECURE: 'true' }, '127.0.0.1')).toMatchObject({
    code: 'connection_refused',
    kind: 'lost',
  });
});
