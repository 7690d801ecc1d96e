import type { ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { authority, type Identity, serverIdentity } from '#platform/net/testing/certificates';
import { Sender } from './sender';
import { answeringSecurely, misbehaving, noting, type Received, stopReceivers } from './testing/receivers';

const rules = { allowInsecure: false, allowed: [] as string[], development: false };
const name = 'hooks.example.com';
let ca: Identity;
let right: Identity;
const senders: Sender[] = [];

beforeAll(async () => {
  ca = await authority();
  right = await serverIdentity(name, { ca });
});

afterEach(async () => {
  await stopReceivers();
  await Promise.all(senders.splice(0).map((sender) => sender.close()));
});

/** Sends to a name that resolves to loopback here, and that the operator allows. */
function sendTo(
  { port }: { port: number },
  { host = name, trustsAuthority = true, addresses = ['127.0.0.1'], connectMs = 5_000 } = {},
) {
  const resolve = async () => addresses;
  const allowed = [`${host.toLowerCase().replace(/\.$/, '')}:${port}`];
  const sender = new Sender(
    { ...rules, allowed },
    { resolve, ca: trustsAuthority ? ca.cert : undefined, connectMs },
  );
  senders.push(sender);
  return sender.send(`https://${host}:${port}/hook`, { 'webhook-id': 'evt_1' }, '{}');
}

const serve = (identity: ServerOptions) => answeringSecurely(identity, (_, reply) => reply.end('ok'));

it.each([name, 'HOOKS.example.com.'])(
  'a receiver with the right certificate is told the name: %s',
  async (host) => {
    const received: Received[] = [];
    const asked: unknown[] = [];
    const note = noting(received);
    const receiver = await answeringSecurely(right, (request, reply) => {
      const socket = request.socket as TLSSocket & { servername: string };
      asked.push([socket.servername, socket.getProtocol()]);
      note(request, reply);
    });
    expect(await sendTo(receiver, { host })).toMatchObject({ status: 204, address: '127.0.0.1' });
    expect(asked).toEqual([[name, 'TLSv1.3']]);
    expect(received[0].headers.host).toBe(`${name}:${receiver.port}`);
  },
);

it.each<[string, () => Promise<Identity>, RegExp]>([
  ['signed by itself', () => serverIdentity(name), /self-signed/],
  ['of another name', () => serverIdentity('other.example.com', { ca }), /does not match/],
  ['of too wide a wildcard', () => serverIdentity('*.com', { ca }), /does not match/],
  ['that has expired', () => serverIdentity(name, { ca, hasExpired: true }), /expired/],
  ['of another authority', async () => serverIdentity(name, { ca: await authority() }), /certificate/],
])('a receiver with a certificate %s gets nothing', async (_, identity, detail) => {
  const received: Received[] = [];
  const receiver = await answeringSecurely(await identity(), noting(received));
  const outcome = await sendTo(receiver);
  expect(outcome).toMatchObject({ error: 'tls', detail: expect.stringMatching(detail) });
  expect(outcome.status).toBeUndefined();
  expect(received).toEqual([]);
});

it("an authority is not trusted because another sender trusts it, nor by Node's own list", async () => {
  const receiver = await serve(right);
  expect(await sendTo(receiver)).toMatchObject({ status: 200 });
  const outcome = await sendTo(receiver, { trustsAuthority: false });
  expect(outcome).toMatchObject({ error: 'tls' });
});

it('TLS older than 1.2 is not spoken', async () => {
  const old = {
    ...right,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  } as const;
  expect(await sendTo(await serve(old))).toMatchObject({ error: 'tls' });
});

it('a receiver that wants a client certificate fails the delivery', async () => {
  const wanting = { ...right, requestCert: true, rejectUnauthorized: true, ca: ca.cert };
  expect(await sendTo(await serve(wanting))).toMatchObject({ error: expect.stringMatching(/^(tls|reset)$/) });
});

it.each<[string, (receiver: { end(text: string): unknown; destroy(): unknown }) => unknown, string]>([
  ['speaks no TLS', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'tls'],
  ['breaks off the handshake', (socket) => socket.destroy(), 'tls'],
  ['never ends the handshake', () => undefined, 'connect_timeout'],
])('a delivery fails at a receiver that %s', async (_, onRequest, error) => {
  const connectMs = error === 'connect_timeout' ? 500 : undefined;
  const outcome = await sendTo(await misbehaving(onRequest), { connectMs });
  expect(outcome).toMatchObject({ error });
  expect(outcome.milliseconds).toBeLessThan(2_000);
});

it('several addresses share the time to connect', async () => {
  const hanging = await misbehaving(() => undefined);
  await answeringSecurely(right, (_, reply) => reply.end('ok'), '::1', hanging.port);
  // The other address has as much time, which is long even on a busy machine.
  const outcome = await sendTo(hanging, { addresses: ['127.0.0.1', '::1'], connectMs: 6_000 });
  expect(outcome).toMatchObject({ status: 200, address: '::1' });
  expect(outcome.milliseconds).toBeGreaterThanOrEqual(2_990);
});

it.each([[['127.0.0.1', '::1']], [['::1', '127.0.0.1']]])(
  'of several addresses, the failure of the one that answered is reported: %j',
  async (addresses) => {
    const receiver = await serve(await serverIdentity(name, { ca, hasExpired: true }));
    expect(await sendTo(receiver, { addresses })).toMatchObject({ error: 'tls', address: '127.0.0.1' });
  },
);
