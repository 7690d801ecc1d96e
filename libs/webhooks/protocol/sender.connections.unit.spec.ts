import type { Socket } from 'node:net';
import { Sender } from './sender';
import { answering, misbehaving, stopReceivers, type TestReceiver } from './testing/receivers';

const CONNECTIONS = 3;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const resolve = jest.fn(async () => ['127.0.0.1']);
let sender: Sender;

const sending = (connections: number) =>
  new Sender(
    { allowInsecure: true, allowed: [], development: true },
    { resolve, connections, totalMs: 2_000 },
  );

beforeEach(() => {
  resolve.mockClear();
  sender = sending(CONNECTIONS);
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

describe('a receiver that closes a connection which it has kept after an answer', () => {
  const send = ({ port }: TestReceiver) => sender.send(`http://hooks.example.com:${port}/`, {}, '{}');
  /** A sender that has one connection must use it again. */
  beforeEach(() => {
    sender = sending(1);
  });

  const reset = (socket: Socket) => socket.resetAndDestroy();
  const close = (socket: Socket) => socket.end();

  /**
   * A receiver that answers the first request of its first connection, and breaks this off at the second request.
   * @param next what it does with a request on any other connection
   */
  const closing = (breakOff: (socket: Socket) => void, next: (socket: Socket) => void) => {
    let isFirst = true;
    return misbehaving((socket) => {
      if (!isFirst) return next(socket);
      isFirst = false;
      socket.write(OK);
      socket.once('data', () => breakOff(socket));
    });
  };

  it.each([
    ['resets', reset],
    ['closes', close],
  ])('is sent the message again, on another connection, when it %s it', async (_, breakOff) => {
    const receiver = await closing(breakOff, (socket) => socket.end(OK));
    expect(await send(receiver)).toMatchObject({ status: 200 });
    const outcome = await send(receiver);
    expect(outcome).toMatchObject({ status: 200, address: '127.0.0.1' });
    expect(outcome.error).toBeUndefined();
    expect(receiver.connections).toBe(2);
    // The other connection is made to the address that was looked up and checked for the attempt.
    expect(resolve).toHaveBeenCalledTimes(2);
  });

  it('answers every message once when it does so after each answer', async () => {
    sender = sending(CONNECTIONS);
    let answered = 0;
    const receiver = await misbehaving((socket) => {
      answered++;
      socket.write(OK);
      socket.once('data', () => socket.end());
    });
    const sendSome = async () => {
      for (let sent = 0; sent < 30; sent++) expect((await send(receiver)).error).toBeUndefined();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, sendSome));
    expect(answered).toBe(30 * CONNECTIONS);
  });

  it('is sent the message only twice', async () => {
    const receiver = await closing(close, reset);
    await send(receiver);
    expect(await send(receiver)).toMatchObject({ error: 'reset' });
    expect(receiver.connections).toBe(2);
  });

  it('has no more than the time of the attempt to answer', async () => {
    const receiver = await closing(close, () => undefined);
    await send(receiver);
    const outcome = await send(receiver);
    expect(outcome).toMatchObject({ error: 'timeout' });
    expect(outcome.milliseconds).toBeLessThan(4_000);
  });

  it.each([
    ['closes a new connection', close],
    ['resets a new connection', reset],
    ['breaks off its first answer', (socket: Socket) => socket.end('HTTP/1.1 200')],
  ])('is sent the message once when it %s', async (_, breakOff) => {
    const receiver = await misbehaving(breakOff);
    expect(await send(receiver)).toMatchObject({ error: 'reset' });
    expect(receiver.connections).toBe(1);
  });

  it('is sent the message once when it breaks off after the status', async () => {
    const receiver = await closing(
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
      (socket) => socket.end(OK),
    );
    await send(receiver);
    expect(await send(receiver)).toMatchObject({ status: 200, error: 'reset', response: 'half' });
    expect(receiver.connections).toBe(1);
  });
});
