import { randomUUID } from 'node:crypto';
import { generateSecret, parseSecret } from './secret';
import { Sender } from './sender';
import { signedHeaders } from './signature';
import { ExistingClient } from './testing/existing-client';
import { answering, stopReceivers } from './testing/receivers';

const secret: string = randomUUID();
const sender = new Sender({ allowInsecure: true, allowed: [], development: true });

afterEach(stopReceivers);
afterAll(() => sender.close());

async function deliver(client: ExistingClient, { by = secret, at = new Date() } = {}) {
  const receiver = await answering(client.listener);
  const requestId = randomUUID();
  const body = JSON.stringify({
    id: 'evt_1',
    type: 'PE.Mk2.Accounting.V1.MatterCreated',
    timestamp: '2026-11-22T10:00:00.000Z',
    requestId,
    tenant: 'harbour',
    sequence: 1,
    data: { id: 'matter_1', data: { title: 'Société' }, sourceId: null },
  });
  const message = { id: 'evt_1', requestId, tenantAlias: 'harbour', at, body };
  const headers = signedHeaders(message, [parseSecret(by)]);
  const { status } = await sender.send(`http://127.0.0.1:${receiver.port}/hook`, headers, body);
  return { status, requestId };
}

it('an existing client accepts a delivery', async () => {
  const client = new ExistingClient(secret);
  const { status, requestId } = await deliver(client);
  expect([client.refused, status]).toEqual([[], 200]);
  expect(client.accepted).toEqual([
    {
      type: 'PE.Mk2.Accounting.V1.MatterCreated',
      tenant: 'harbour',
      requestId,
      id: 'matter_1',
      record: { title: 'Société' },
    },
  ]);
});

it('an existing client accepts a delivery when its secret was given in capitals', async () => {
  const client = new ExistingClient(secret);
  expect(await deliver(client, { by: secret.toUpperCase() })).toMatchObject({ status: 200 });
});

it.each([
  ['with the signature of another secret', { by: randomUUID() }, 'signature'],
  ['with the signature of a standard secret', { by: generateSecret() }, 'signature'],
  ['that is ten minutes old', { at: new Date(Date.now() - 600_000) }, 'stale'],
])('an existing client refuses a delivery %s', async (_, delivery, why) => {
  const client = new ExistingClient(secret);
  expect(await deliver(client, delivery)).toMatchObject({ status: 401 });
  expect(client.refused).toEqual([why]);
});
