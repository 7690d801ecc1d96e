import type { ApiClient, Json } from '../support/client';
import { waitFor } from '../support/wait-for';
import { HookReceiver, verify } from './hook-receiver';
import { Office } from './office';
import { mark } from './records';

let office: Office;
let api: ApiClient;
let receiver: HookReceiver;

beforeAll(async () => {
  receiver = await HookReceiver.open();
  office = await Office.open({ WEBHOOKS_ALLOW_INSECURE: 'true', LOG_LEVEL: 'trace' });
  api = await office.tenant('leeds');
});
afterAll(async () => {
  await office.close();
  await receiver.close();
});

/** A webhook to an address of its own. */
async function hook(fields: object = {}, caller = api): Promise<Json & { path: string }> {
  const path = `/${mark()}`;
  const created = await caller.data('POST', 'webhooks', {
    url: receiver.url + path,
    events: ['*'],
    ...fields,
  });
  return { ...created, path };
}

it('sends a record as it is read, signed, once it is committed', async () => {
  const { id, secret, path } = await hook({ events: ['division.created', 'division.updated'] });
  const divisionId = await api.create('divisions', { name: 'Probate', code: 'PRO' });
  await api.data('PATCH', `divisions/${divisionId}`, { name: 'Wills' });
  const [first, second] = await receiver.some(path, 2);
  verify(first, secret);
  verify(second, secret);
  expect(first.body).toEqual({
    type: 'division.created',
    timestamp: expect.stringMatching(/Z$/),
    requestId: first.headers['x-pe2-request-id'],
    data: { id: divisionId, data: expect.objectContaining({ id: divisionId }), sourceId: expect.any(String) },
    id: first.headers['webhook-id'],
    tenant: 'leeds',
    sequence: expect.any(Number),
    changed: ['code', 'externalReference', 'isDefault', 'name'],
  });
  const read = await api.data('GET', `divisions/${divisionId}`);
  expect(second.body).toMatchObject({ type: 'division.updated', sequence: 2, changed: ['name'] });
  expect(second.body.data.data).toEqual(read);
  const list = async () => (await api.data('GET', `webhooks/${id}/deliveries`)).rows;
  const rows = await waitFor(
    async () => {
      const found = await list();
      return found.every(({ state }: Json) => state === 1) && found;
    },
    { description: 'both deliveries to be written down' },
  );
  expect(rows).toHaveLength(2);
  const one = await api.data('GET', `webhooks/${id}/deliveries/${rows[1].id}`);
  expect(one).toMatchObject({ stateName: 'Delivered', attemptCount: 1, recordId: divisionId });
  expect(one.attempts).toEqual([
    expect.objectContaining({ number: 1, status: 204, error: null, address: '127.0.0.1' }),
  ]);
});
