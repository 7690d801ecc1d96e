import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { loadConfig } from '#platform/config';
import { TdsServer } from '../../../test/support/tds/tds-server';
import { waitFor } from '../../../test/support/wait-for';
import { SourceConnection } from './source-connection';
import { SourceHosts } from './source-hosts';
import { readSettings } from './source-settings';

/** A packet of an answer to which more packets belong. */
const HALF = Buffer.from([4, 0, 0, 9, 0, 0, 1, 0, 0xab]);

describe('a server that answers only the first connection of the driver', () => {
  let tds: TdsServer;
  let proxy: Server;
  let connections: number;
  let second: Socket | undefined;

  beforeAll(async () => {
    tds = await TdsServer.start({ database: 'postgres://127.0.0.1:1/none', tls: 'none' });
    const behind = readSettings(tds.connectionString({ encrypt: 'false' }), hosts());
    proxy = createServer();
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    proxy.on('connection', (socket) => {
      socket.on('error', () => undefined);
      if (++connections === 1) {
        const there = connect(behind.port, behind.host).on('error', () => undefined);
        socket.pipe(there).pipe(socket);
      } else {
        second = socket.once('data', () => socket.write(HALF));
      }
    });
  });
  beforeEach(() => {
    connections = 0;
    second = undefined;
  });
  afterAll(async () => {
    proxy?.close();
    await tds?.close();
  });

  const hosts = () => new SourceHosts(loadConfig({ IMPORT_ALLOW_INSECURE: 'true' }));
  const open = (signal = new AbortController().signal) => {
    const { port } = proxy.address() as AddressInfo;
    const text = tds.connectionString({ host: '127.0.0.1', encrypt: 'false', more: ['Connect Timeout=1'] });
    const settings = readSettings(text.replace(/,\d+;/, `,${port};`), hosts());
    return SourceConnection.open(settings, {
      hosts: hosts(),
      resolve: async () => [],
      stallMs: 60_000,
      signal,
    });
  };

  it('is left at once when the connection is aborted', async () => {
    const abort = new AbortController();
    const left = expect(open(abort.signal)).rejects.toThrow('Enough');
    await waitFor(() => second !== undefined && second.bytesWritten > 0, {
      description: 'half of an answer to be sent',
    });
    abort.abort(new Error('Enough'));
    await left;
    await waitFor(() => second!.destroyed, { description: 'the connection to be closed' });
  });

  it('is given up after the timeout', async () => {
    await expect(open()).rejects.toMatchObject({ code: 'timed_out', kind: 'lost' });
  });
});
