import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { departure } from './departure';

it('a departure is signalled when the client goes, and at once when it had gone before', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [, raw] = (await once(server, 'request')) as [unknown, ServerResponse];
    const before = departure({ raw });
    expect(before.aborted).toBe(false);
    const closed = once(raw, 'close');
    socket.destroy();
    await closed;
    for (const { aborted, reason } of [before, departure({ raw })])
      expect([aborted, reason?.extensions.reason]).toEqual([true, 'client_gone']);
  } finally {
    server.close();
  }
});
