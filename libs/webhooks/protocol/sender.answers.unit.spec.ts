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
  sender = new Sender(rules, { connectMs: 2_000, totalMs: 500 });
});

afterEach(async () => {
  await stopReceivers();
  await sender.close();
});

const send = ({ port }: { port: number }) => sender.send(`http://127.0.0.1:${port}/hook?a=b`, headers, body);
const sendTo = async (listener: RequestListener) => send(await answering(listener));
/** With an answer that is written as it is. */
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
    '%i: the status and the text are told',
    async (status) => {
      const outcome = await sendTo((_, reply) => reply.writeHead(status).end('So it is – 是'));
      expect(outcome).toMatchObject({ status, response: 'So it is – 是' });
      expect(outcome).not.toHaveProperty('error');
    },
  );

  it('429 with Retry-After', async () => {
    const outcome = await sendTo((_, reply) => reply.writeHead(429, { 'Retry-After': '120' }).end());
    expect(outcome).toMatchObject({ status: 429, retryAfter: '120' });
  });

  it.each([301, 302, 303, 307, 308, 304])('%i: a redirect is not followed', async (status) => {
    const elsewhere = await answering((_, reply) => reply.end());
    const location = `http://127.0.0.1:${elsewhere.port}/`;
    const outcome = await sendTo((_, reply) => reply.writeHead(status, { location }).end());
    expect(outcome).toMatchObject({ status, error: 'redirect', detail: expect.stringContaining(location) });
    expect(elsewhere.connections).toBe(0);
  });

  it('with hints first: the answer that follows them counts', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    const outcome = await sendRaw(`${hints}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`);
    expect(outcome).toMatchObject({ status: 200, response: 'ok' });
  });

  it('keeps its connection', async () => {
    const receiver = await answering((_, reply) => reply.end('ok'));
    for (let count = 0; count < 20; count++) expect(await send(receiver)).toMatchObject({ status: 200 });
    // undici takes one again only in the next turn of the event loop, and so two take turns.
    expect(receiver.connections).toBeLessThanOrEqual(2);
  });

  it('and closes it after each answer is connected to anew', async () => {
    const receiver = await answering((_, reply) => reply.writeHead(200, { connection: 'close' }).end('ok'));
    for (let count = 0; count < 3; count++) expect(await send(receiver)).toMatchObject({ status: 200 });
    expect(receiver.connections).toBe(3);
  });
});

describe('an answer that is too much', () => {
  it('is read to 20 KB, whatever it says of its length, and its connection closed', async () => {
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
    expect(outcome).not.toHaveProperty('error');
    expect(outcome.milliseconds).toBeLessThan(500);
    await waitFor(() => closed, { description: 'the connection to be closed' });
    expect(written).toBeLessThan(20_000_000);
  });

  it('of just 20 KB is whole, and its connection kept', async () => {
    const receiver = await answering((_, reply) => reply.end('é'.repeat(10 * 1024)));
    for (let count = 0; count < 10; count++)
      expect(await send(receiver)).toMatchObject({ response: 'é'.repeat(10 * 1024) });
    expect(receiver.connections).toBeLessThanOrEqual(2);
  });

  it('is cut between characters', async () => {
    const { response } = await sendTo((_, reply) => reply.end(`a${'é'.repeat(20_000)}`));
    expect(response).toBe(`a${'é'.repeat(10 * 1024 - 1)}`);
  });

  it('of bytes that are no text is text of no more bytes, without NUL', async () => {
    const { response } = await sendTo((_, reply) => reply.end(Buffer.alloc(50_000, Buffer.from([0xff, 0]))));
    expect(Buffer.byteLength(response!)).toBeLessThanOrEqual(20 * 1024);
    expect(response).toMatch(/^\uFFFD+$/);
  });

  it('when inflated is not inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const outcome = await sendTo((_, reply) =>
      reply.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb),
    );
    expect(outcome).toMatchObject({ status: 200, detail: expect.stringContaining('(gzip)') });
    expect(outcome.response).toBeUndefined();
  });

  it('in its headers is no answer', async () => {
    const outcome = await sendRaw(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`);
    expect(outcome).toMatchObject({ error: 'protocol' });
  });
});

describe('a receiver that is slow', () => {
  const late = { error: 'timeout', detail: 'No whole answer in 500 ms.' };

  it('and says nothing', async () => {
    const outcome = await send(await misbehaving(() => undefined));
    expect(outcome).toMatchObject(late);
    expect(outcome.status).toBeUndefined();
    expect(outcome.milliseconds).toBeGreaterThanOrEqual(495);
    expect(outcome.milliseconds).toBeLessThan(2_000);
  });

  it.each([
    ['in its headers', 'HTTP/1.1 200 OK\r\nX-Slow: ', undefined],
    ['in its body', 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n', 200],
    ['in hints without end', 'HTTP/1.1 103 Early Hints\r\n', undefined],
  ])('%s, but never quiet', async (_, beginning, status) => {
    let timer: NodeJS.Timeout | undefined;
    const more = beginning.includes('103') ? '\r\nHTTP/1.1 103 Early Hints\r\n' : 'x';
    const receiver = await misbehaving((socket) => {
      socket.write(beginning);
      timer = setInterval(() => socket.write(more), 20);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await send(receiver)).toMatchObject({ ...late, ...(status && { status }) });
    clearInterval(timer);
  });

  it('has its connection closed', async () => {
    let closed = false;
    const receiver = await misbehaving((socket) => socket.on('close', () => (closed = true)));
    await send(receiver);
    await waitFor(() => closed, { description: 'the connection to be closed' });
  });

  it('does not delay another on the same address', async () => {
    let count = 0;
    const receiver = await answering((_, reply) => {
      if (count++ > 0) reply.end('ok');
    });
    const first = send(receiver);
    await waitFor(() => count === 1, { description: 'the first to arrive' });
    const second = await send(receiver);
    expect(second).toMatchObject({ status: 200 });
    expect(await first).toMatchObject(late);
  });
});

describe('a receiver that breaks off', () => {
  it('before it answers', async () => {
    expect(await send(await misbehaving((socket) => socket.end()))).toMatchObject({ error: 'reset' });
    expect(await send(await misbehaving((socket) => socket.resetAndDestroy()))).toMatchObject({
      error: 'reset',
    });
  });

  it('in its headers', async () => {
    const outcome = await sendRaw('HTTP/1.1 200 OK\r\nContent-');
    expect(outcome).toMatchObject({ error: 'reset' });
    expect(outcome.status).toBeUndefined();
  });

  it('in its body: not whole, though the status is there', async () => {
    const outcome = await sendRaw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
    expect(outcome).toMatchObject({ status: 200, error: 'reset', response: 'half' });
  });

  it('half: it ends its side after its answer', async () => {
    const outcome = await sendRaw('HTTP/1.1 200 OK\r\n\r\nall of it');
    expect(outcome).toMatchObject({ status: 200, response: 'all of it' });
    expect(outcome).not.toHaveProperty('error');
  });

  it.each([
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['upgrades', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'],
    ['asks to go on', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['has two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ])('or %s', async (_, answer) => {
    expect(await sendRaw(answer)).toMatchObject({ error: 'protocol' });
  });

  it('or is not there', async () => {
    const receiver = await answering(() => undefined);
    await receiver.stop();
    expect(await send(receiver)).toMatchObject({ error: 'connection_refused', address: '127.0.0.1' });
  });
});

describe('an attempt that is stopped', () => {
  it('ends at once, with its connection', async () => {
    let closed = false;
    const stop = new AbortController();
    const receiver = await misbehaving((socket) => {
      socket.on('close', () => (closed = true));
      stop.abort();
    });
    const patient = new Sender(rules);
    const outcome = await patient.send(`http://127.0.0.1:${receiver.port}/`, headers, body, stop.signal);
    expect(outcome).toMatchObject({ error: 'aborted', address: '127.0.0.1' });
    await waitFor(() => closed, { description: 'the connection to be closed' });
    await patient.close();
  });

  it('before it began sends nothing', async () => {
    const receiver = await answering((_, reply) => reply.end());
    const url = `http://127.0.0.1:${receiver.port}/`;
    expect(await sender.send(url, headers, body, AbortSignal.abort())).toMatchObject({ error: 'aborted' });
    expect(receiver.connections).toBe(0);
  });
});

it('what cannot be sent is an error of ours', async () => {
  const receiver = await answering((_, reply) => reply.end());
  const url = `http://127.0.0.1:${receiver.port}/`;
  await expect(sender.send(url, { 'webhook-id': 'a\nb' }, body)).rejects.toThrow('invalid');
});
