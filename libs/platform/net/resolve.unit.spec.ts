import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { systemResolve } from './resolve';

type Record = 'A' | 'AAAA';
let server: Socket | undefined;

afterEach(() => {
  server?.close();
  server = undefined;
});

/**
 * The bytes of a name's record; undefined when the name exists without such a record. @throws when there is no such
 * name
 */
type Zone = (name: string, record: Record) => Buffer | undefined | 'silence';

/** A name server on loopback. @see https://www.rfc-editor.org/rfc/rfc1035#section-4 */
async function nameServer(zone: Zone): Promise<string> {
  server = createSocket('udp4', (query, { port, address }) => {
    let end = 12;
    const labels: string[] = [];
    while (query[end] > 0) {
      labels.push(query.toString('latin1', end + 1, end + 1 + query[end]));
      end += 1 + query[end];
    }
    const type = query.readUInt16BE(end + 1);
    const found = zone(labels.join('.'), type === 1 ? 'A' : 'AAAA');
    if (found === 'silence') return;
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    const unknown = labels[0] === 'unknown';
    header.writeUInt16BE(unknown ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(found ? 1 : 0, 6);
    const fixed = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, found?.length ?? 0]);
    const answer = found ? [fixed, found] : [];
    server?.send(Buffer.concat([header, query.subarray(12, end + 5), ...answer]), port, address);
  });
  await once(server.bind(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${server.address().port}`;
}

const v4 = Buffer.from([93, 184, 215, 14]);
const v6 = Buffer.from('26064700470000000000000000001111', 'hex');

it.each<[string, Zone, string[]]>([
  [
    'addresses of both kinds',
    (_, record) => (record === 'A' ? v4 : v6),
    ['93.184.215.14', '2606:4700:4700::1111'],
  ],
  ['only IPv4 addresses', (_, record) => (record === 'A' ? v4 : undefined), ['93.184.215.14']],
  ['only IPv6 addresses', (_, record) => (record === 'A' ? undefined : v6), ['2606:4700:4700::1111']],
])('resolves a name that has %s', async (_, zone, addresses) => {
  const servers = [await nameServer(zone)];
  expect(await systemResolve({ timeoutMs: 3_000, servers })('hooks.example.com')).toEqual(addresses);
});

it('asks the name server anew each time', async () => {
  let last = 0;
  const servers = [
    await nameServer((_, record) => (record === 'A' ? Buffer.from([8, 8, 8, ++last]) : undefined)),
  ];
  const resolve = systemResolve({ timeoutMs: 3_000, servers });
  expect(await resolve('hooks.example.com')).toEqual(['8.8.8.1']);
  expect(await resolve('hooks.example.com')).toEqual(['8.8.8.2']);
});

it('gives up on a silent name server by itself, so that no thread of the pool waits for it', async () => {
  const servers = [await nameServer(() => 'silence')];
  await expect(systemResolve({ timeoutMs: 300, servers })('hooks.example.com')).rejects.toThrow('ETIMEOUT');
});

it.each<Record>(['A', 'AAAA'])(
  'is not held up by a name server that does not answer the question for %s',
  async (silent) => {
    const servers = [
      await nameServer((_, record) => (record === silent ? 'silence' : record === 'A' ? v4 : v6)),
    ];
    const since = performance.now();
    expect(await systemResolve({ timeoutMs: 5_000, servers })('hooks.example.com')).toHaveLength(1);
    expect(performance.now() - since).toBeLessThan(3_000);
  },
);

it('refuses a name that neither DNS nor the machine knows', async () => {
  const servers = [await nameServer(() => undefined)];
  await expect(systemResolve({ timeoutMs: 3_000, servers })('unknown.invalid')).rejects.toThrow(
    'unknown.invalid',
  );
});

it('resolves localhost to loopback without asking a name server', async () => {
  const asked: string[] = [];
  const servers = [await nameServer((name) => void asked.push(name))];
  for (const name of ['localhost', 'a.localhost'])
    expect(await systemResolve({ timeoutMs: 3_000, servers })(name)).toEqual(['127.0.0.1', '::1']);
  expect(asked).toEqual([]);
});
