import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { loadConfig } from '#platform/config';
import type { Resolve } from '#platform/net/resolve';
import { waitFor } from '../../../test/support/wait-for';
import { SourceConnection } from './source-connection';
import { SourceHosts } from './source-hosts';
import { readSettings } from './source-settings';

const packet = (status: number, ...payload: number[]) =>
  Buffer.from([4, status, (8 + payload.length) >> 8, (8 + payload.length) & 0xff, 0, 0, 1, 0, ...payload]);
/** The first answer of a server that does not encrypt. */
const first = packet(1, 0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff, 16, 0, 0, 0, 0, 0, 2);
/** A packet of an answer to which more packets belong. */
const half = packet(0, 0xab);

const shorts = (...numbers: number[]) => [...new Uint8Array(Uint16Array.from(numbers).buffer)];
const wide = (text: string) => [...Buffer.from(text, 'utf16le')];
const done = [0xfd, ...Array(12).fill(0)];
const login = (() => {
  const accepted = [1, 0x74, 0, 0, 4, 1, ...wide('S'), 16, 0, 0, 0];
  return [0xad, ...shorts(accepted.length), ...accepted];
})();
/** An answer that accepts the login and redirects the driver to another port of this machine. */
function sentTo(port: number): Buffer {
  const host = '127.0.0.1';
  const route = [0, ...shorts(port, host.length), ...wide(host)];
  const sent = [20, ...shorts(route.length), ...route, 0, 0];
  return packet(1, ...login, 0xe3, ...shorts(sent.length), ...sent, ...done);
}
/** An answer with one column, `x nvarchar(max)`, and the beginning of a row whose text comes in parts. */
const rowBegins = (() => {
  const column = [0, 0, 0, 0, 9, 0, 0xe7, 0xff, 0xff, 9, 4, 0xd0, 0, 0x34, 1, ...wide('x')];
  return packet(0, 0x81, 1, 0, ...column, 0xd1, 0xfe, ...Array(7).fill(0xff));
})();
const part = packet(0, ...shorts(32_000, 0), ...Array(32_000).fill(0));

let server: Server;
let asked: number;
afterEach(() => server?.close());

/** A timeout in seconds that is longer than any machine needs for work that ends before. */
const LONG = 20;

function open(
  answers: Buffer[],
  signal?: AbortSignal,
  resolve?: Resolve,
  seconds?: number,
): Promise<SourceConnection> {
  asked = 0;
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(answers[asked++] ?? ''));
  });
  return openFrom(signal, resolve, seconds);
}

async function openFrom(
  signal = new AbortController().signal,
  resolve: Resolve = async () => ['127.0.0.1'],
  seconds = 1,
): Promise<SourceConnection> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const hosts = new SourceHosts(loadConfig({ IMPORT_ALLOW_INSECURE: 'true' }));
  const text = `Server=localhost,${port};User ID=reader;Password=pw;Encrypt=false;Connect Timeout=${seconds}`;
  const options = { hosts, resolve, stallMs: seconds * 1_000, signal };
  return SourceConnection.open(readSettings(text, hosts), options);
}

describe.each([
  ['first', [half]],
  ['login', [first, half]],
])('a server that never ends its answer to the %s packet', (_, answers) => {
  it('is given up after the timeout', async () => {
    await expect(open(answers)).rejects.toMatchObject({ code: 'timed_out', kind: 'lost' });
  });

  it('is left at once when the connection is aborted', async () => {
    const abort = new AbortController();
    const opening = open(answers, abort.signal, undefined, LONG);
    const left = expect(opening).rejects.toThrow('Enough');
    await waitFor(() => asked === answers.length, { description: 'half of the answer to be sent' });
    abort.abort(new Error('Enough'));
    await left;
  });
});

it.each<[string, Buffer[], Buffer]>([
  ['first packet', [], part],
  ['query', [first, packet(1, ...login, ...done), packet(1, ...done)], rowBegins],
])(
  'gives up a server whose answer to the %s is larger than memory has room for',
  async (_, answers, begins) => {
    server = createServer((socket) => {
      let answered = 0;
      const endlessly = () => {
        while (!socket.destroyed && socket.write(part));
      };
      socket.on('error', () => undefined);
      socket.on('data', () => {
        socket.write(answers[answered] ?? begins);
        if (answered++ === answers.length) socket.on('drain', endlessly) && endlessly();
      });
    });
    const asking = openFrom(undefined, undefined, LONG).then((source) =>
      source.query('select x').finally(() => source.close()),
    );
    await expect(asking).rejects.toMatchObject({ code: 'too_much', kind: 'lasting' });
  },
);

/** A token that changes the size of the following packets. */
function sized(size: string): number[] {
  const change = [4, size.length, ...wide(size), 4, ...wide('4096')];
  return [0xe3, ...shorts(change.length), ...change];
}

it.each(['0', '8', '511', '32768', 'none', ''])(
  'gives up a server that sets a packet size of %p, with which a message would never end',
  async (size) => {
    const opening = open([first, packet(1, ...sized(size), ...login, ...done)], undefined, undefined, LONG);
    await expect(opening).rejects.toMatchObject({ code: 'source_failed', kind: 'lasting' });
  },
);

/** A column of a type that does not exist. */
const untyped = [0x81, 1, 0, 0, 0, 0, 0, 9, 0, 0x09];

it.each<[string, Buffer[]]>([
  ['the login', [first, packet(1, 0)]],
  ['the login, cut off amid a token', [first, packet(1, ...login.slice(0, -4))]],
  ['the login, with a row', [first, packet(1, ...login, 0xd1)]],
  ['the first query', [first, packet(1, ...login, ...done), packet(1, 0x09)]],
])('gives up a server with an invalid answer to %s, without crashing', async (_, answers) => {
  await expect(open(answers, undefined, undefined, LONG)).rejects.toMatchObject({ code: 'source_failed' });
});

it.each([[untyped], [[0x09]], [[0xfd, 0]]])(
  'gives up a server that sends invalid rows, without crashing: %j',
  async (answer) => {
    server = createServer((socket) => {
      let answered = 0;
      const answers = [first, packet(1, ...login, ...done), packet(1, ...done), packet(1, ...answer)];
      socket.on('error', () => undefined);
      socket.on('data', () => socket.write(answers[answered++] ?? ''));
    });
    const source = await openFrom(undefined, undefined, LONG);
    await expect(source.query('select x')).rejects.toMatchObject({ code: 'source_failed' });
    source.close();
  },
);

it('gives up a server that redirects to itself again and again', async () => {
  let connections = 0;
  server = createServer((socket) => {
    connections++;
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(first);
      socket.once('data', () => socket.write(sentTo((server.address() as AddressInfo).port)));
    });
  });
  const opening = openFrom(undefined, undefined, LONG);
  await expect(opening).rejects.toMatchObject({ code: 'sent_in_circles', kind: 'lasting' });
  expect(connections).toBeLessThan(20);
});

it('does not connect any more when it was aborted while the name of the server was looked up', async () => {
  const abort = new AbortController();
  let found = (_: string[]) => {};
  const addresses = new Promise<string[]>((resolve) => {
    found = resolve;
  });
  let isAsked = false;
  const lookUp = () => {
    isAsked = true;
    return addresses;
  };
  const left = expect(open([], abort.signal, lookUp)).rejects.toThrow('Enough');
  await waitFor(() => isAsked, { description: 'the look-up to begin' });
  abort.abort(new Error('Enough'));
  await left;
  const ports: (number | undefined)[] = [];
  server.on('connection', ({ remotePort }) => ports.push(remotePort));
  found(['127.0.0.1']);
  await new Promise(setImmediate);
  // A later connection, so that every earlier one has arrived when it is seen.
  const later = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await waitFor(() => ports.includes(later.localPort), { description: 'the later connection to arrive' });
  later.destroy();
  await once(later, 'close');
  expect(ports).toHaveLength(1);
});
