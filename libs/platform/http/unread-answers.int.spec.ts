import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { waitFor } from '../../../test/support/wait-for';
import { toProblem } from './problem';
import { data, Reply } from './reply';
import { registerReplyHook } from './reply-hook';
import { registerUnreadAnswers } from './unread-answers';

/** More than the buffers of a connection hold. */
const LONG = 30_000_000;

describe('answers that their clients do not read', () => {
  let fastify: FastifyInstance;
  let url: string;
  let written = 0;
  let answered = 0;
  /** Lets the slow request continue. */
  let go: undefined | (() => void);

  beforeAll(async () => {
    fastify = Fastify();
    registerUnreadAnswers(fastify, LONG / 2);
    registerReplyHook(fastify);
    fastify.setErrorHandler((error, request, reply) => {
      const { status, headers, body } = toProblem(error, request.url, request.id);
      void reply.status(status).headers(headers).send(body);
    });
    fastify.addHook('onRequest', async (request) => {
      const id = request.url.startsWith('/one/') ? 1 : 2;
      Object.assign(request, { caller: { tenant: { id }, rateLimitHeaders: () => ({}) } });
    });
    const taking = (reply: Reply) => async () => {
      await new Promise<void>((resolve) => (go = resolve));
      return reply;
    };
    fastify.get('/:tenant/long', async () => data('x'.repeat(LONG)));
    fastify.get('/:tenant/slow', taking(data('x')));
    fastify.get('/:tenant/late', { onSend: async () => void answered++ }, async (_, reply) => {
      await once(reply.raw, 'close');
      return data('x'.repeat(LONG));
    });
    fastify.post('/:tenant/slow', taking(data('x')));
    fastify.get('/:tenant/stream', taking(new Reply(200, Readable.from(['x']))));
    fastify.post('/:tenant/records', async () => data(++written));
    url = await fastify.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => fastify.close());

  const send = (method: string, path: string) => fetch(url + path, { method });
  const free = () =>
    waitFor(async () => (await send('POST', '/two/records')).status === 200, {
      description: 'a request of the second tenant to be accepted',
    });

  const ask = (path: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return socket;
  };

  /** A client of the second tenant that requests a long answer and reads none of it. */
  const idle = async () => {
    const socket = ask('/two/long');
    await once(socket, 'readable');
    return socket;
  };

  it.each(['reads it', 'leaves'])(
    'block new requests of their tenant only, until the client of such an answer %s',
    async (end) => {
      await free();
      const before = written;
      const socket = await idle();
      const refused = await send('POST', '/two/records');
      expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'answers_unread' }]);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(written).toBe(before);
      expect((await send('POST', '/one/records')).status).toBe(200);
      if (end === 'leaves') socket.destroy();
      else socket.resume();
      await free();
      socket.destroy();
    },
  );

  it.each([
    ['GET', '/two/slow', 503, 'an answer that was only read is refused'],
    ['POST', '/two/slow', 200, 'a change that was made is confirmed'],
    ['GET', '/two/stream', 200, 'a streamed answer is sent'],
  ])('let an earlier %s %s end with %i: %s', async (method, path, status) => {
    await free();
    go = undefined;
    const asked = send(method, path);
    await waitFor(() => go !== undefined, { description: 'the request to be under way' });
    const socket = await idle();
    go!();
    expect((await asked).status).toBe(status);
    socket.destroy();
  });

  it('do not count when their client has already left', async () => {
    await free();
    const socket = ask('/two/late');
    await once(socket, 'connect');
    socket.destroy();
    await waitFor(() => answered > 0, { description: 'the answer to the client that has left' });
    expect((await send('POST', '/two/records')).status).toBe(200);
  });
});
