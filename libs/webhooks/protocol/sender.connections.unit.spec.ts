import { Sender } from './sender';
import { answering, stopReceivers } from './testing/receivers';

const CONNECTIONS = 3;
let sender: Sender;

beforeEach(() => {
  sender = new Sender(
    { allowInsecure: true, allowed: [], development: true },
    { connections: CONNECTIONS, totalMs: 2_000 },
  );
});

afterEach(async () => {
  await stopReceivers();
  await sender.close();
});

it('a receiver has no more connections than deliveries that may be under way', async () => {
  const receiver = await answering((_, reply) => reply.writeHead(204).end());
  const sendSome = async () => {
    for (let sent = 0; sent < 20; sent++)
      expect(await sender.send(`http://127.0.0.1:${receiver.port}/`, {}, '{}')).toMatchObject({
        status: 204,
      });
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendSome));
  expect(receiver.connections).toBeLessThanOrEqual(CONNECTIONS);
});

it('one receiver that hangs does not hold up another at the same host', async () => {
  const receiver = await answering(({ url }, reply) => {
    if (url === '/well') reply.writeHead(204).end();
  });
  const send = (path: string) => sender.send(`http://127.0.0.1:${receiver.port}/${path}`, {}, '{}', path);
  const hanging = Array.from({ length: CONNECTIONS }, () => send('hangs'));
  expect(await send('well')).toMatchObject({ status: 204 });
  for (const outcome of await Promise.all(hanging)) expect(outcome).toMatchObject({ error: 'timeout' });
});
