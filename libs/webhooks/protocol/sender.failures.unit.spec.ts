import { waitFor } from '../../../test/support/wait-for';
import { Sender } from './sender';
import { answering, misbehaving, stopReceivers } from './testing/receivers';

const rules = { allowInsecure: true, allowed: [], development: true };
const body = JSON.stringify({ type: 'matter.created', data: { title: 'Société' } });
const headers = { 'webhook-id': 'evt_1' };
let sender: Sender;

beforeEach(() => {
  sender = new Sender(rules);
});

afterEach(async () => {
  await stopReceivers();
  await sender.close();
});

const send = ({ port }: { port: number }) => sender.send(`http://127.0.0.1:${port}/hook?a=b`, headers, body);
/** Sends to a receiver that writes this text as its whole answer. */
const sendRaw = async (answer: string) => send(await misbehaving((socket) => socket.end(answer)));

describe('a receiver that is slow', () => {
  const late = { error: 'timeout', detail: 'No whole answer in 500 ms.' };

  beforeEach(() => {
    sender = new Sender(rules, { connectMs: 2_000, totalMs: 500 });
  });

  it('is given up at the time limit when it says nothing', async () => {
    const outcome = await send(await misbehaving(() => undefined));
    expect(outcome).toMatchObject(late);
    expect(outcome.status).toBeUndefined();
    expect(outcome.milliseconds).toBeGreaterThanOrEqual(495);
    expect(outcome.milliseconds).toBeLessThan(2_000);
  });

  it.each([
    ['headers', 'HTTP/1.1 200 OK\r\nX-Slow: ', undefined],
    ['a body', 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n', 200],
    ['hints without end', 'HTTP/1.1 103 Early Hints\r\n', undefined],
  ])('is given up at the time limit when it keeps sending %s', async (_, beginning, status) => {
    let timer: NodeJS.Timeout | undefined;
    const more = beginning.includes('103') ? '\r\nHTTP/1.1 103 Early Hints\r\n' : 'x';
    const receiver = await misbehaving((socket) => {
      socket.write(beginning);
      timer = setInterval(() => socket.write(more), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const outcome = await send(receiver);
    expect(outcome).toMatchObject(late);
    expect(outcome.status).toBe(status);
    clearInterval(timer);
  });

  it('has its connection closed', async () => {
    let closed = false;
    const receiver = await misbehaving((socket) => socket.on('close', () => (closed = true)));
    await send(receiver);
    await waitFor(() => closed, { description: 'the connection to be closed' });
  });

  it('does not delay another request to the same address', async () => {
    let count = 0;
    const receiver = await answering((_, reply) => {
      if (count++ > 0) reply.end('ok');
    });
    const first = send(receiver);
    await waitFor(() => count === 1, { description: 'the first request to arrive' });
    const second = await send(receiver);
    expect(second).toMatchObject({ status: 200 });
    expect(await first).toMatchObject(late);
  });
});

describe('a receiver that breaks off, or breaks the protocol,', () => {
  it('before it answers is reported as a reset', async () => {
    expect(await send(await misbehaving((socket) => socket.end()))).toMatchObject({ error: 'reset' });
    expect(await send(await misbehaving((socket) => socket.resetAndDestroy()))).toMatchObject({
      error: 'reset',
    });
  });

  it('in its headers is reported as a reset', async () => {
    const outcome = await sendRaw('HTTP/1.1 200 OK\r\nContent-');
    expect(outcome).toMatchObject({ error: 'reset' });
    expect(outcome.status).toBeUndefined();
  });

  it('in its body is reported as a reset, with the status and the part that was read', async () => {
    const outcome = await sendRaw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
    expect(outcome).toMatchObject({ status: 200, error: 'reset', response: 'half' });
  });

  it('after its whole answer is no failure: it only ends its side of the connection', async () => {
    const outcome = await sendRaw('HTTP/1.1 200 OK\r\n\r\nall of it');
    expect(outcome).toMatchObject({ status: 200, response: 'all of it' });
    expect(outcome.error).toBeUndefined();
  });

  it.each([
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    ],
    ['sends only 100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['sends two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ])('is reported as a fault of the protocol when it %s', async (_, answer) => {
    expect(await sendRaw(answer)).toMatchObject({ error: 'protocol' });
  });

  it('is reported with the reason when it sends 100 Continue unasked', async () => {
    const answer = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    expect(await sendRaw(answer)).toMatchObject({
      error: 'protocol',
      detail: expect.stringContaining('100 Continue'),
    });
  });

  it('is reported without the source of a library when it answers with the status 0', async () => {
    const answer = 'HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n';
    expect(await sendRaw(answer)).toMatchObject({
      error: 'protocol',
      detail: 'The answer is none that HTTP allows.',
    });
  });

  it('is reported as a refused connection when it is not there', async () => {
    const receiver = await answering(() => undefined);
    await receiver.stop();
    expect(await send(receiver)).toMatchObject({ error: 'connection_refused', address: '127.0.0.1' });
  });
});

it('a request with an invalid header throws, instead of failing as the fault of the receiver', async () => {
  const receiver = await answering((_, reply) => reply.end());
  const url = `http://127.0.0.1:${receiver.port}/`;
  await expect(sender.send(url, { 'webhook-id': 'a\nb' }, body)).rejects.toThrow('invalid');
});
