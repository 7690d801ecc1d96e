import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { toProblem } from '../problem';
import { registerJsonBody } from './json-body';
import { registerUploads, Upload } from './upload';

describe('a body that comes slowly', () => {
  let fastify: FastifyInstance;
  let port: number;
  /** What GET answers. */
  let answer: PassThrough;

  /** @param withinMs the time within which a body must arrive, unless it is an upload */
  async function serve(withinMs: number): Promise<void> {
    answer = new PassThrough();
    fastify = Fastify();
    registerJsonBody(fastify);
    registerUploads(fastify, withinMs);
    fastify.setErrorHandler((error, request, reply) => {
      const { status, headers, body } = toProblem(error, request.url, request.id);
      void reply.status(status).headers(headers).send(body);
    });
    fastify.post('/json', async () => 'read');
    fastify.post('/upload', { config: { upload: true } }, async (request) => {
      let text = '';
      for await (const chunk of new Upload(request).bytes(1000)) text += chunk;
      return text;
    });
    fastify.get('/answer', async () => answer);
    await fastify.listen({ port: 0, host: '127.0.0.1' });
    port = (fastify.server.address() as { port: number }).port;
  }
  afterEach(async () => {
    jest.restoreAllMocks();
    await fastify.close();
  });

  /** Begins a request, with all of its body but the last byte. */
  function begin(path: string, connection = 'close', method = 'POST') {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nContent-Type: application/json`;
    socket.write(`${head}\r\nContent-Length: 2\r\n\r\n{`);
    const ended = once(socket, 'close').then(() => answer);
    return { socket, ended };
  }

  it('is refused, unless it is an upload', async () => {
    await serve(50);
    const [upload, json] = [begin('/upload'), begin('/json', 'keep-alive')];
    const refused = await json.ended;
    expect(refused).toMatch(/^HTTP\/1\.1 408 /);
    expect(refused).toContain('body_too_slow');
    upload.socket.write('}');
    const answer = await upload.ended;
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/\{\}$/);
  });

  it('is accepted when it is complete within the time limit', async () => {
    await serve(10_000);
    const { socket, ended } = begin('/json');
    socket.write('}');
    expect(await ended).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('does not matter to a request that is answered without it', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    await serve(12_345);
    const { socket, ended } = begin('/answer', 'close', 'GET');
    answer.write('a part, ');
    await once(socket, 'data');
    for (const [late, ms] of timers.mock.calls) if (ms === 12_345) late();
    answer.end('the rest');
    expect(await ended).toMatch(/the rest/);
  });
});
