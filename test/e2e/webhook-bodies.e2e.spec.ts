import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { ApiClient, Json } from '../support/client';
import { type Firm, makeFirm, makeRecord } from '../support/contract/bodies';
import { committedDescription, operationsOf } from '../support/contract/description';
import { areaOf, requestOf, send } from '../support/contract/requests';
import { waitFor } from '../support/wait-for';
import { HookReceiver, type Received } from './hook-receiver';
import { Office } from './office';

/** Types of events that no request causes by itself. */
const OTHERS = ['import.promoted', 'webhook.disabled', 'webhook.failing'];
const EVERY_WRITE = ['version', 'updatedOn', 'updatedBy'];

let office: Office;
let receiver: HookReceiver;
let api: ApiClient;
let types: Json[];
let sent: Received[];
/** Records before and after a request. */
const changes: { operation: string; before: Json; after: Json }[] = [];

beforeAll(async () => {
  receiver = await HookReceiver.open();
  office = await Office.open({ WEBHOOKS_ALLOW_INSECURE: 'true' });
  api = await office.tenant('leeds');
  types = await api.rows('webhooks/eventtypes', { pageSize: 200 });
  const { id } = await api.data('POST', 'webhooks', { url: `${receiver.url}/all`, events: ['*'] });
  const firm = await makeFirm(api, 'rosebud');
  await carryOut(firm);
  await bill(firm);
  await api.data('GET', `entities/${firm.ids.entity}/export`);
  await api.data('POST', `webhooks/${id}/test`);
  sent = await everything();
});
afterAll(async () => {
  await office?.close();
  await receiver?.close();
});

/** Carries out every write that the service has, except those of imports. */
async function carryOut(firm: Firm): Promise<void> {
  const operations = operationsOf(committedDescription());
  for (const operation of operations) {
    const area = areaOf(operation);
    if (operation.method === 'GET' || area === 'etl') continue;
    const request = await requestOf(operation, firm, operations);
    const isOfRecord = area !== 'webhooks' && operation.path.includes('{id}');
    const read = () => (isOfRecord ? api.data('GET', `${area}/${request.path.id}`) : undefined);
    const before = await read();
    expect((await send(api, request)).status).toBeLessThan(300);
    if (isOfRecord) changes.push({ operation: operation.id, before, after: await read() });
  }
}

/** Puts work and a cost on drafts and invoices that are deleted, voided and paid. */
async function bill(firm: Firm): Promise<void> {
  const sources = [await makeRecord(firm, 'workitems'), await makeRecord(firm, 'costrecoveries')];
  const [clientId, matterId] = [firm.ids.client, firm.ids.matter];
  const lines = ['Fee', 'Disbursement'].map((kind, at) => ({ kind, sourceId: sources[at] }));
  const draft = () => api.create('invoices', { clientId, matterId, lines });
  const act = (id: string, action: string, body = {}) => api.data('POST', `invoices/${id}/${action}`, body);
  expect((await api.delete(`invoices/${await draft()}`)).status).toBe(204);
  const invoice = await draft();
  await act(invoice, 'issue');
  await act(invoice, 'void');
  const last = await draft();
  const { balance } = await act(last, 'issue');
  await act(last, 'pay', { amount: balance });
}

/** The received messages, once each type of event has arrived. */
async function everything(): Promise<Received[]> {
  const wanted = types.map(({ name }) => name).filter((name) => !OTHERS.includes(name));
  const missing = () => {
    const came = new Set(receiver.received.map(({ body }) => body.type));
    return wanted.filter((name) => !came.has(name));
  };
  await waitFor(() => missing().length === 0, { description: 'every kind of event' }).catch((cause) => {
    throw new Error(`Never sent: ${missing()}`, { cause });
  });
  return receiver.received;
}

it('sends for each event exactly what its type describes', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  const checks = new Map(types.map(({ name, schema }) => [name, ajv.compile(closed(schema))]));
  for (const { body } of sent) {
    const check = checks.get(body.type)!;
    check(body);
    expect([body.type, check.errors]).toEqual([body.type, null]);
  }
});

it('names fields that the record has, and all fields that a request has changed', async () => {
  const untold = () =>
    changes.flatMap(({ operation, before, after }) => {
      const told = sent
        .filter(({ body: { data, sequence } }) => data.id === after.id && sequence > before.version)
        .flatMap(({ body }) => body.changed);
      const differing = Object.keys(after).filter(
        (name) => !EVERY_WRITE.includes(name) && JSON.stringify(after[name]) !== JSON.stringify(before[name]),
      );
      return differing.filter((name) => !told.includes(name)).map((name) => `${operation}: ${name}`);
    });
  // The last message of a type may arrive later than the first of each type.
  await waitFor(() => untold().length === 0, { description: 'all that was changed' }).catch((cause) => {
    throw new Error(`Never told: ${untold()}`, { cause });
  });
  for (const { body } of sent)
    for (const name of body.changed)
      expect([body.type, Object.keys(body.data.data)]).toEqual([body.type, expect.arrayContaining([name])]);
});

it('names the fields of a new document that describe its content', () => {
  const { body } = sent.find(({ body }) => body.type === 'document.created')!;
  expect(body.changed).toEqual(expect.arrayContaining(['fileName', 'sha256', 'size', 'versions']));
});

it('has an example for each event, with the fields that the event changes', () => {
  for (const { name, example } of types.filter(({ name }) => !OTHERS.includes(name))) {
    const changed = sent.filter(({ body }) => body.type === name).flatMap(({ body }) => body.changed);
    expect([name, changed]).toEqual([name, expect.arrayContaining(example.changed)]);
    if (name.endsWith('.deleted')) expect([name, example.data.data.isDeleted]).toEqual([name, true]);
  }
  const disabled = types.find(({ name }) => name === 'webhook.disabled').example;
  expect(disabled.changed).toEqual(['disabledOn', 'disabledReason', 'enabled']);
  expect(disabled.data).toMatchObject({
    sourceId: 'service',
    data: { enabled: false, disabledReason: 'failing' },
  });
});

/** Forbids undescribed fields in all objects. */
function closed(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (!value?.properties || key === 'properties') return value;
    return { additionalProperties: false, ...value };
  });
}
