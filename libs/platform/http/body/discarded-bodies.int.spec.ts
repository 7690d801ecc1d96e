import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { limitDiscardedBodies } from './discarded-bodies';

const LIMIT = 64 * 1024;

let fastify: FastifyInstance;
let socket: Socket;

afterEach(async () => {
  jest.useRealTimers();
  socket?.destroy();
  await fastify.close();
});

/** A server that refuses every request before its body is read. */
function refusingServer(limits: { bytes: number; ms: number }): void {
  fastify = Fastify();
  limitDiscardedBodies(fastify, limits);
  fastify.addHook('onRequest', (_request, reply) => reply.status(401).send('who are you?'));
  fastify.post('/json', async () => 'read');
  fastify.post('/upload', { config: { upload: true } }, async () => 'read');
}

/** Begins a request that is refused before its body is read. @returns its answer, once that is there */
async function refused(path: string, head: string, limits: { bytes: number; ms: number }): Promise<string> {
  refusingServer(limits);
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  socket = connect((fastify.server.address() as { port: number }).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${head}\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  return String(answer);
}

/** `once` would reject: a connection may be reset, as the client is still sending. */
const closed = () => new Promise((resolve) => socket.once('close', resolve));

/** Sends until so many bytes have gone, or the server has closed the connection. @returns the bytes sent */
async function send(most: number): Promise<number> {
  const chunk = Buffer.alloc(LIMIT, ' ');
  const gone = closed();
  let sent = 0;
  while (sent < most && !socket.destroyed) {
    sent += chunk.length;
    if (!socket.write(chunk))
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), gone]);
  }
  return sent;
}

it('a client that goes on sending a refused body is cut off', async () => {
  const head = `Content-Length: ${1024 ** 4}`;
  expect(await refused('/json', head, { bytes: LIMIT, ms: 60_000 })).toMatch(/^HTTP\/1\.1 401 /);
  const gone = closed();
  await send(Number.POSITIVE_INFINITY);
  await gone;
});

it('a client that sends a refused body slowly is cut off', async () => {
  await refused('/json', 'Content-Length: 10', { bytes: LIMIT, ms: 0 });
  await closed();
});

it.each(['/json', '/upload'])('a refused body of %s within the limits keeps its connection', async (path) => {
  const length = path === '/json' ? LIMIT : 64 * LIMIT;
  const limits = { bytes: LIMIT, ms: path === '/json' ? 60_000 : 0 };
  await refused(path, `Content-Length: ${length}`, limits);
  expect(await send(length)).toBe(length);
  socket.write('POST /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /);
});

it('a refused request without a connection leaves nothing running', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  refusingServer({ bytes: LIMIT, ms: 0 });
  const { statusCode } = await fastify.inject({ method: 'POST', url: '/json', payload: {} });
  expect(statusCode).toBe(401);
  expect(jest.getTimerCount()).toBe(0);
});
