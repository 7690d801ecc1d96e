import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { loadConfig } from '#platform/config';
import type { Resolve } from '#platform/net/resolve';
import { waitFor } from '../../../test/support/wait-for';
import { Source } from './source';
import { SourceHosts } from './source-hosts';
import { readSettings } from './source-settings';

const packet = (status: number, ...payload: number[]) =>
  Buffer.from([4, status, 0, 8 + payload.length, 0, 0, 1, 0, ...payload]);
/** It does not encrypt. */
const first = packet(1, 0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff, 16, 0, 0, 0, 0, 0, 2);
/** Others of the same answer are to follow. */
const half = packet(0, 0xab);

let server: Server;
let asked: number;
afterEach(() => server?.close());

async function open(
  answers: Buffer[],
  signal = new AbortController().signal,
  resolve: Resolve = async () => ['127.0.0.1'],
): Promise<Source> {
  asked = 0;
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(answers[asked++] ?? ''));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const hosts = new SourceHosts(loadConfig({ IMPORT_ALLOW_INSECURE: 'true' }));
  const text = `Server=localhost,${port};User ID=reader;Password=pw;Encrypt=false;Connect Timeout=1`;
  const options = { hosts, resolve, stallMs: 1_000, signal };
  return Source.open(readSettings(text, hosts), options);
}

describe.each([
  ['first', [half]],
  ['login', [first, half]],
])('a server that never ends its answer to the %s packet', (_, answers) => {
  it('is given up when it had its time', async () => {
    await expect(open(answers)).rejects.toMatchObject({ code: 'timed_out', kind: 'lost' });
  });

  it('is left at once when nobody wants it any more', async () => {
    const abort = new AbortController();
    const opening = open(answers, abort.signal);
    const left = expect(opening).rejects.toThrow('Enough');
    await waitFor(() => asked === answers.length, { description: 'half of the answer' });
    abort.abort(new Error('Enough'));
    await left;
  });
});

it('connects to nobody any more when it was left while the name of the server was looked up', async () => {
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
  await waitFor(() => isAsked, { description: 'the look-up' });
  abort.abort(new Error('Enough'));
  await left;
  const ports: (number | undefined)[] = [];
  server.on('connection', ({ remotePort }) => ports.push(remotePort));
  found(['127.0.0.1']);
  await new Promise(setImmediate);
  // Behind whoever would have come before.
  const later = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await waitFor(() => ports.includes(later.localPort), { description: 'the later connection' });
  later.destroy();
  await once(later, 'close');
  expect(ports).toHaveLength(1);
});
