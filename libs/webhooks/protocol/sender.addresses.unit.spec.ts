import { Socket } from 'node:net';
import { Sender } from './sender';
import { answering, noting, type Received, stopReceivers } from './testing/receivers';

const production = { allowInsecure: false, allowed: [] as string[], development: false };
const insecure = { ...production, allowInsecure: true, development: true };
/** A public address that is assigned to nobody. */
const nowhere = '2000::1';
const url = 'https://hooks.example.com/';
const senders: Sender[] = [];

afterEach(async () => {
  jest.restoreAllMocks();
  await stopReceivers();
  await Promise.all(senders.splice(0).map((sender) => sender.close()));
});

/** @param answers the successive answers of the name server; the last one is repeated */
function sending(rules: typeof production, ...answers: string[][]) {
  return sendingWithin({ connectMs: 500, totalMs: 2_000 }, rules, ...answers);
}

function sendingWithin(
  limits: { connectMs: number; totalMs: number },
  rules: typeof production,
  ...answers: string[][]
) {
  const resolve = jest.fn(async () => (answers.length > 1 ? answers.shift()! : answers[0]));
  const sender = new Sender(rules, { resolve, ...limits });
  senders.push(sender);
  return { resolve, send: (to = url) => sender.send(to, {}, '{}') };
}

const connecting = () => jest.spyOn(Socket.prototype, 'connect');

describe('no connection is made', () => {
  it.each([
    [['127.0.0.1']],
    [['10.0.0.1']],
    [['169.254.169.254']],
    [['::1']],
    [['::ffff:169.254.169.254']],
    [['64:ff9b::a9fe:a9fe']],
    [['fd00:ec2::254']],
    [['0.0.0.0']],
    [['8.8.8.8', '127.0.0.1']],
    [['2606:4700:4700::1111', 'fe80::1%eth0']],
    [['not an address']],
  ])('to a name whose addresses are %j', async (addresses) => {
    const sockets = connecting();
    const { resolve, send } = sending(production, addresses);
    const outcome = await send();
    expect(outcome).toMatchObject({ error: 'refused_address' });
    // The webhook's owner must not learn which address the name has inside.
    expect(JSON.stringify(outcome)).not.toContain(addresses.at(-1));
    expect(sockets).not.toHaveBeenCalled();
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['https://127.0.0.1/', 'refused_address'],
    ['https://0x7f000001/', 'refused_address'],
    ['https://2130706433/', 'refused_address'],
    ['https://[::ffff:127.0.0.1]/', 'refused_address'],
    ['https://localhost/', 'refused_address'],
    ['http://hooks.example.com/', 'refused_url'],
    ['https://user@hooks.example.com/', 'refused_url'],
    ['https://hooks.example.com:22/', 'refused_url'],
    ['nonsense', 'refused_url'],
  ])('to %s, and no name is looked up', async (to, error) => {
    const sockets = connecting();
    const { resolve, send } = sending(production, [nowhere]);
    expect(await send(to)).toMatchObject({ error });
    expect(sockets).not.toHaveBeenCalled();
    expect(resolve).not.toHaveBeenCalled();
  });

  it('to a private address, even with allowInsecure', async () => {
    const { send } = sending(insecure, ['10.0.0.1']);
    expect(await send('http://hooks.example.com:3000/')).toMatchObject({ error: 'refused_address' });
    expect(await send('http://10.0.0.1:3000/')).toMatchObject({ error: 'refused_address' });
  });
});

describe('a name whose address changes', () => {
  it('is looked up once in an attempt, which connects to the address that was found', async () => {
    const sockets = connecting();
    const { resolve, send } = sending(production, [nowhere], ['127.0.0.1']);
    expect(await send()).toMatchObject({
      error: expect.stringMatching(/^(unreachable|connect_timeout)$/),
      address: nowhere,
    });
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(sockets).toHaveBeenCalledTimes(1);
  });

  it('is looked up again in the next attempt, and refused when its address is now private', async () => {
    const { resolve, send } = sending(production, [nowhere], ['127.0.0.1']);
    await send();
    const sockets = connecting();
    expect(await send()).toMatchObject({ error: 'refused_address' });
    expect(resolve).toHaveBeenCalledTimes(2);
    expect(sockets).not.toHaveBeenCalled();
  });

  it('is not reached over a connection to its former address', async () => {
    const received: Received[] = [];
    const before = await answering(noting(received));
    const after = await answering(noting(received), '::1', before.port);
    const { send } = sending(insecure, ['127.0.0.1'], ['::1'], ['127.0.0.1']);
    const to = `http://hooks.example.com:${before.port}/`;
    expect(await send(to)).toMatchObject({ status: 204, address: '127.0.0.1' });
    expect(await send(to)).toMatchObject({ status: 204, address: '::1' });
    expect(await send(to)).toMatchObject({ status: 204, address: '127.0.0.1' });
    expect([before.connections, after.connections]).toEqual([1, 1]);
    // The first connection is used again while the name has the same address; the receiver always sees the name.
    expect(received.map(({ headers }) => headers.host)).toEqual(
      Array(3).fill(`hooks.example.com:${before.port}`),
    );
  });
});

describe('several addresses', () => {
  it('are tried one after the other until one connects', async () => {
    const received: Received[] = [];
    const receiver = await answering(noting(received), '::1');
    const { send } = sending(insecure, ['127.0.0.1', '::1']);
    expect(await send(`http://hooks.example.com:${receiver.port}/`)).toMatchObject({
      status: 204,
      address: '::1',
    });
    expect(received).toHaveLength(1);
  });

  it('are reported by the failure of the first, because there is often no IPv6 at all', async () => {
    const gone = await answering(() => undefined);
    await gone.stop();
    const { send } = sending(insecure, ['127.0.0.1', '::1']);
    expect(await send(`http://hooks.example.com:${gone.port}/`)).toMatchObject({
      error: 'connection_refused',
      address: '127.0.0.1',
    });
  });

  it('leave the first of them enough time to connect, however many they are', async () => {
    const receiver = await answering((_, reply) => reply.writeHead(204).end());
    const many = ['127.0.0.1', ...Array<string>(30).fill('::1')];
    const { send } = sendingWithin({ connectMs: 10_000, totalMs: 20_000 }, insecure, many);
    // Each connection takes 400 ms, as over a long distance: more than an equal share of the time for each address.
    const connect = Socket.prototype.connect;
    jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
      setTimeout(() => connect.apply(this, args as never), 400);
      return this;
    });
    expect(await send(`http://hooks.example.com:${receiver.port}/`)).toMatchObject({
      status: 204,
      address: '127.0.0.1',
    });
  });

  it('are not tried after one that connected', async () => {
    const received: Received[] = [];
    const broken = await answering((request) => request.socket.destroy());
    await answering(noting(received), '::1', broken.port);
    const { send } = sending(insecure, ['127.0.0.1', '::1']);
    expect(await send(`http://hooks.example.com:${broken.port}/`)).toMatchObject({
      error: 'reset',
      address: '127.0.0.1',
    });
    expect(received).toEqual([]);
  });
});

it.each(['[::1]', '127.0.0.1', 'localhost', 'a.localhost'])('%s is allowed in development', async (host) => {
  const received: Received[] = [];
  const receiver = await answering(noting(received), host === '[::1]' ? '::1' : '127.0.0.1');
  const sender = new Sender(insecure);
  senders.push(sender);
  expect(await sender.send(`http://${host}:${receiver.port}/`, {}, '{}')).toMatchObject({ status: 204 });
  expect(received[0].headers.host).toBe(`${host}:${receiver.port}`);
});

describe('a name', () => {
  const resolving = (resolve: () => Promise<string[]>) => {
    const sender = new Sender(production, { resolve, connectMs: 200, totalMs: 2_000 });
    senders.push(sender);
    return sender.send(url, {}, '{}');
  };

  it('that does not exist is reported as a failure of DNS', async () => {
    const unknown = async () => Promise.reject(new Error('queryA ENOTFOUND hooks.example.com'));
    expect(await resolving(unknown)).toMatchObject({
      error: 'dns',
      detail: expect.stringContaining('ENOTFOUND'),
    });
  });

  it('without addresses is reported as a failure of DNS', async () => {
    expect(await resolving(async () => [])).toMatchObject({ error: 'dns' });
  });

  it('whose name server does not answer takes no longer than the time to connect', async () => {
    const outcome = await resolving(() => new Promise(() => undefined));
    expect(outcome).toMatchObject({ error: 'dns' });
    expect(outcome.milliseconds).toBeLessThan(1_500);
  });
});

it('connects to few of the many addresses that a name may have', async () => {
  const sockets = connecting();
  const closed = await answering(() => undefined);
  await closed.stop();
  const many = Array.from({ length: 1_000 }, (_, index) => `127.0.${index >> 8}.${index & 255 || 1}`);
  const { send } = sending(insecure, many);
  const outcome = await send(`http://hooks.example.com:${closed.port}/`);
  expect(outcome).toMatchObject({ error: 'connection_refused', address: many[0] });
  expect(sockets.mock.calls.length).toBeLessThanOrEqual(8);
});
