import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { waitFor } from '../../../test/support/wait-for';
import { Sender } from './sender';
import { answering, misbehaving, noting, type Received, stopReceivers } from './testing/receivers';

const rules = { allowInsecure: true, allowed: [], development: true };
const body = JSON.stringify({ type: 'matter.created', data: { title: 'Société' } });
const headers = { 'webhook-id': 'evt_1' };
let sender: Sender;

beforeEach(() => {
  sender = new Sender(rules, { connectMs: 2_000, totalMs: 5_000 });
});

afterEach(async () => {
  await stopReceivers();
  await sender.close();
});

const send = ({ port }: { port: number }) => sender.send(`http://127.0.0.1:${port}/hook?a=b`, headers, body);
const sendTo = async (listener: RequestListener) => send(await answering(listener));
/** Sends to a receiver that writes this text as its whole answer. */
const sendRaw = async (answer: string) => send(await misbehaving((socket) => socket.end(answer)));

describe('a receiver that answers', () => {
  it('gets the body and the headers, and its answer is kept', async () => {
    const received: Received[] = [];
    const note = noting(received);
    const receiver = await answering((request, reply) => {
      expect([request.method, request.url]).toEqual(['POST', '/hook?a=b']);
      note(request, reply);
    });
    expect(await send(receiver)).toEqual({
      status: 204,
      milliseconds: expect.any(Number),
      address: '127.0.0.1',
    });
    expect(received).toEqual([
      {
        body,
        headers: {
          host: `127.0.0.1:${receiver.port}`,
          connection: 'keep-alive',
          'webhook-id': 'evt_1',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          'accept-encoding': 'identity',
          'user-agent': 'practice-management-webhooks/1',
        },
      },
    ]);
  });

  it.each([200, 201, 202, 400, 404, 410, 500, 503])(
    'with %i: the status and the text are reported',
    async (status) => {
      const outcome = await sendTo((_, reply) => reply.writeHead(status).end('So it is – 是'));
      expect(outcome).toMatchObject({ status, response: 'So it is – 是' });
      expect(outcome.error).toBeUndefined();
    },
  );

  it('with 204 and a body: the body is ignored', async () => {
    const outcome = await sendRaw('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello');
    expect(outcome).toMatchObject({ status: 204, error: undefined, response: undefined });
  });

  it('with 429 and Retry-After: both are reported', async () => {
    const outcome = await sendTo((_, reply) => reply.writeHead(429, { 'Retry-After': '120' }).end());
    expect(outcome).toMatchObject({ status: 429, retryAfter: '120' });
  });

  it.each([301, 302, 303, 307, 308, 304])('with %i: the redirect is not followed', async (status) => {
    const elsewhere = await answering((_, reply) => reply.end());
    const location = `http://127.0.0.1:${elsewhere.port}/`;
    const outcome = await sendTo((_, reply) => reply.writeHead(status, { location }).end());
    expect(outcome).toMatchObject({ status, error: 'redirect', detail: expect.stringContaining(location) });
    expect(elsewhere.connections).toBe(0);
  });

  it.each([300, 304, 399])('with %i and no location: the status is reported', async (status) => {
    const outcome = await sendTo((_, reply) => reply.writeHead(status).end());
    expect(outcome).toMatchObject({ status, error: undefined, detail: undefined });
  });

  it('with hints first: the answer that follows them counts', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    const outcome = await sendRaw(`${hints}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`);
    expect(outcome).toMatchObject({ status: 200, response: 'ok' });
  });

  it('with headers twice: the first counts', async () => {
    const twice = [
      'Retry-After: 7',
      'Retry-After: 9',
      'Content-Encoding: identity',
      'Content-Encoding: gzip',
    ];
    const outcome = await sendRaw(
      `HTTP/1.1 503 Busy\r\n${twice.join('\r\n')}\r\nContent-Length: 2\r\n\r\nno`,
    );
    expect(outcome).toMatchObject({ status: 503, retryAfter: '7', response: 'no' });
  });

  it('with long headers: only a little of them is reported', async () => {
    const location = `/${'é'.repeat(5_000)}`;
    const answer = `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nRetry-After: ${'1'.repeat(5_000)}\r\n\r\n`;
    const { detail, retryAfter } = await sendRaw(answer);
    expect(Buffer.byteLength(detail!)).toBeLessThanOrEqual(1024);
    expect(retryAfter).toHaveLength(100);
  });

  it('keeps its connection', async () => {
    const receiver = await answering((_, reply) => reply.end('ok'));
    for (let count = 0; count < 20; count++) expect(await send(receiver)).toMatchObject({ status: 200 });
    // undici reuses a connection only in the next turn of the event loop, and so two connections take turns.
    expect(receiver.connections).toBeLessThanOrEqual(2);
  });

  it('and closes its connection after each answer is connected to anew', async () => {
    const receiver = await answering((_, reply) => reply.writeHead(200, { connection: 'close' }).end('ok'));
    for (let count = 0; count < 3; count++) expect(await send(receiver)).toMatchObject({ status: 200 });
    expect(receiver.connections).toBe(3);
  });
});

describe('a long answer', () => {
  it('is read up to 20 KB, and then its connection is closed', async () => {
    let written = 0;
    let closed = false;
    const outcome = await sendTo((_, reply) => {
      reply.on('close', () => (closed = true));
      const more = () => {
        while (!reply.destroyed && reply.write('x'.repeat(8192))) written += 8192;
        reply.once('drain', more);
      };
      more();
    });
    expect(outcome).toMatchObject({ status: 200, response: 'x'.repeat(20 * 1024) });
    expect(outcome.error).toBeUndefined();
    expect(outcome.milliseconds).toBeLessThan(5_000);
    await waitFor(() => closed, { description: 'the connection to be closed' });
    expect(written).toBeLessThan(20_000_000);
  });

  it('of exactly 20 KB is read whole, and its connection is kept', async () => {
    const receiver = await answering((_, reply) => reply.end('é'.repeat(10 * 1024)));
    for (let count = 0; count < 10; count++)
      expect(await send(receiver)).toMatchObject({ response: 'é'.repeat(10 * 1024) });
    expect(receiver.connections).toBeLessThanOrEqual(2);
  });

  it('is cut between characters', async () => {
    const { response } = await sendTo((_, reply) => reply.end(`a${'é'.repeat(20_000)}`));
    expect(response).toBe(`a${'é'.repeat(10 * 1024 - 1)}`);
  });

  it('of bytes that are no text is kept as text of no more bytes, without NUL', async () => {
    const { response } = await sendTo((_, reply) => reply.end(Buffer.alloc(50_000, Buffer.from([0xff, 0]))));
    expect(Buffer.byteLength(response!)).toBeLessThanOrEqual(20 * 1024);
    expect(response).toMatch(/^\uFFFD+$/);
  });

  it('that is compressed is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const outcome = await sendTo((_, reply) =>
      reply.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb),
    );
    expect(outcome).toMatchObject({ status: 200, detail: expect.stringContaining('(gzip)') });
    expect(outcome.response).toBeUndefined();
  });

  it('of hints that never end counts as no answer, and its connection is closed', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100);
    let closed = false;
    const receiver = await misbehaving((socket) => {
      socket.on('close', () => (closed = true));
      const more = () => {
        while (!socket.destroyed && socket.write(hints));
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    });
    const outcome = await send(receiver);
    expect(outcome).toMatchObject({ error: 'protocol', detail: expect.stringContaining('More than 1000') });
    expect(outcome.status).toBeUndefined();
    await waitFor(() => closed, { description: 'the connection to be closed' });
  });

  it('with long headers counts as no answer', async () => {
    const outcome = await sendRaw(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`);
    expect(outcome).toMatchObject({ error: 'protocol' });
  });
});
