import { createHmac } from 'node:crypto';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { type ApiClient, type Json, send } from '../support/client';
import { waitFor } from '../support/wait-for';
import { HookReceiver, verify } from './hook-receiver';
import { Office } from './office';
import { mark } from './records';
import { expectProblem } from './refusals';

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

/** Creates a webhook with an address of its own. */
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
  // The order of deliveries is not guaranteed.
  const sent = await receiver.some(path, 2);
  const [first, second] = sent.sort((a, b) => a.body.type.localeCompare(b.body.type));
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

it('registers, delivers to and removes a client that was written for the original service', async () => {
  const path = `/${mark()}`;
  const id = `webhook_${'0123456789abcdef'.repeat(2)}`;
  const secret = '12345678-0000-0000-0000-123456789012';
  const bare = (method: string, to: string, body?: object) =>
    send(method, `${office.app.baseUrl}/leeds/api/v1/${to}`, {
      body,
      headers: { Authorization: `Bearer ${api.token}`, Accept: 'application/json' },
    });
  const events = ['PE.Mk2.Accounting.V1.DivisionUpdated', 'PE.Mk2.Accounting.V1.MatterCreated'];
  const put = await bare('PUT', 'webhooks', { id, enabled: true, url: receiver.url + path, secret, events });
  expect([put.status, put.body]).toEqual([201, undefined]);
  const divisionId = await api.create('divisions', { name: 'Trusts' });
  await api.data('PATCH', `divisions/${divisionId}`, { name: 'Trusts and tax' });
  const [{ headers, body, text, at }] = await receiver.some(path);
  const key = Buffer.from('78563412000000000000123456789012', 'hex');
  const signed = `${headers['x-pe2-request-id']}|${headers['x-pe2-timestamp']}`;
  const mac = createHmac('sha256', key).update(signed).digest('base64');
  expect(headers['x-pe2-webhook-signature']).toBe(`HMACSHA256:${mac}`);
  expect(headers['x-pe2-timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);
  expect(headers['x-pe2-tenant-alias']).toBe('leeds');
  expect(body).toMatchObject({
    type: 'PE.Mk2.Accounting.V1.DivisionUpdated',
    requestId: headers['x-pe2-request-id'],
    data: { id: divisionId, data: { name: 'Trusts and tax' } },
  });
  verify({ text, headers, at }, `whsec_${key.toString('base64')}`);
  expect((await bare('DELETE', `webhooks/${id}`)).status).toBe(204);
  expectProblem(await bare('DELETE', `webhooks/${id}`), 404, 'not_found');
});

it('tries again, and signs with both secrets during a rotation', async () => {
  const { id, secret, path } = await hook({ events: ['webhook.test'] });
  receiver.answer = ({ path: to }) =>
    to === path && receiver.at(path).length === 1
      ? { status: 503, headers: { 'retry-after': '1' }, body: 'Not now' }
      : { status: 204 };
  const { id: deliveryId } = await api.data('POST', `webhooks/${id}/test`);
  await receiver.some(path);
  const next = (await api.data('POST', `webhooks/${id}/rotate-secret`, {})).secret;
  const [first, second] = await receiver.some(path, 2);
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.body.requestId).toBe(first.body.requestId);
  verify(first, secret);
  verify(second, secret);
  verify(second, next);
  expect(() => verify(first, next)).toThrow();
  const read = () => api.data('GET', `webhooks/${id}/deliveries/${deliveryId}`);
  await waitFor(async () => (await read()).state === 1, {
    description: 'the second attempt to be written down',
  });
  expect((await read()).attempts).toMatchObject([
    { number: 1, status: 503, error: 'status', response: 'Not now' },
    { number: 2, status: 204, error: null },
  ]);
  receiver.answer = () => ({ status: 204 });
});

it('sends nothing of one tenant to another with the same records', async () => {
  const other = await office.tenant('york');
  const [ours, theirs] = [await hook(), await hook({}, other)];
  const id = await api.create('divisions', { name: 'Ours alone' });
  const own = await other.create('divisions', { name: 'Theirs alone' });
  await receiver.some(ours.path);
  const seen = await receiver.some(theirs.path);
  expect(JSON.stringify(seen)).not.toMatch(new RegExp(`Ours alone|${id.split('_')[1]}|leeds`));
  expect(seen.map(({ body }) => body.data.id)).toContain(own);
  const deliveries = (await api.data('GET', `webhooks/${ours.id}/deliveries`)).rows;
  const [{ id: deliveryId }] = deliveries;
  for (const path of [
    `webhooks/${ours.id}`,
    `webhooks/${ours.id}/deliveries`,
    `webhooks/${ours.id}/deliveries/${deliveryId}`,
  ])
    expectProblem(await other.get(path), 404, 'not_found');
  const { rows } = await other.data('GET', 'webhooks/events?pageSize=200');
  expect(JSON.stringify(rows)).not.toContain(id.split('_')[1]);
});

it('describes each event with a schema to which its example and its messages conform', async () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  const types = await api.rows('webhooks/eventtypes', { pageSize: 200 });
  expect(types.length).toBeGreaterThan(90);
  for (const { name, schema, example } of types) {
    const check = ajv.compile(schema);
    check(example);
    expect([name, check.errors]).toEqual([name, null]);
  }
  const byName = new Map(types.map((type) => [type.name, type]));
  for (const { body } of receiver.received.filter(({ body: { type } }) => byName.has(type))) {
    const check = ajv.compile(byName.get(body.type).schema);
    check(body);
    expect([body.type, check.errors]).toEqual([body.type, null]);
  }
});

it('counts the rows of its lists on request', async () => {
  const { id } = await hook();
  for (const path of ['webhooks', `webhooks/${id}/deliveries`, 'webhooks/eventtypes']) {
    const [all, counted] = [
      await api.rows(path, { pageSize: 200 }),
      await api.data('GET', `${path}?pageSize=1&includeTotalCount=true`),
    ];
    expect([path, counted.totalCount, counted.hasMore]).toEqual([path, all.length, all.length > 1]);
    expect(await api.data('GET', path)).not.toHaveProperty('totalCount');
  }
});

it('reports its state, and does not reveal its secrets', async () => {
  const metrics = async () => (await fetch(`${office.app.baseUrl}/metrics`)).text();
  // Deliveries of earlier tests may still be in progress.
  const text = await waitFor(
    async () => {
      const now = await metrics();
      return /^webhook_delivery_lag_seconds 0/m.test(now) && now;
    },
    { everyMs: 100, description: 'every delivery to be sent' },
  );
  expect(text).toMatch(/^webhook_attempts_total\{result="delivered"\} [1-9]/m);
  expect(text).toMatch(/^webhook_fan_out_lag_seconds\{partition="\d+"\} 0/m);
  expect(text).toMatch(/^webhooks\{state="active"\} [1-9]/m);
  expect(office.output()).not.toMatch(/whsec_|Ours alone|12345678-0000/);
});
