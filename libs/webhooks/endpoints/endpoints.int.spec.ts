import type { RequestContext } from '#platform/request-context';
import { SetClock } from '../../../test/support/set-clock';
import { waitFor } from '../../../test/support/wait-for';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import { GetWebhook, GetWebhookHandler, ListWebhooks, ListWebhooksHandler } from '../webhook.queries';
import {
  CreateWebhook,
  CreateWebhookHandler,
  DeleteWebhook,
  DeleteWebhookHandler,
  RegisterWebhook,
  RegisterWebhookHandler,
  SwitchWebhook,
  SwitchWebhookHandler,
  UpdateWebhook,
  UpdateWebhookHandler,
} from './endpoint.commands';
import type { WebhookInput } from './endpoint.input';
import { RotateSecret, RotateSecretHandler } from './endpoint.rotate';

// biome-ignore lint/suspicious/noExplicitAny: the body of any answer
type Json = any;

const clock = new SetClock(new Date('2026-03-01T12:00:00Z'));
let hooks: Webhooks;
let context: RequestContext;

beforeAll(async () => {
  hooks = await openWebhooks(clock);
});
beforeEach(async () => {
  context = await hooks.tenant();
});
afterAll(() => hooks.close());

const url = 'https://hooks.example.com/in';
const valid = { url, events: ['matter.created'] };
const parts = () => [hooks.requests, hooks.subscriptions, hooks.signal] as const;
const create = (fields: Partial<WebhookInput> = {}, by = context) =>
  new CreateWebhookHandler(hooks.requests, hooks.subscriptions).execute(
    new CreateWebhook(by, { ...valid, ...fields }),
  );
const created = async (fields: Partial<WebhookInput> = {}, by = context): Promise<Json> =>
  ((await create(fields, by)).body as Json).data;
const register = (body: object, by = context) =>
  new RegisterWebhookHandler(...parts()).execute(new RegisterWebhook(by, body as never));
const patch = (id: string, body: object, by = context) =>
  new UpdateWebhookHandler(...parts()).execute(new UpdateWebhook(by, id, body, 'return=representation'));
const toggle = (id: string, paused: boolean) =>
  new SwitchWebhookHandler(...parts()).execute(new SwitchWebhook(context, id, paused));
const rotate = (id: string, secret?: string) =>
  new RotateSecretHandler(...parts()).execute(new RotateSecret(context, id, { secret }));
const remove = (id: string, by = context) =>
  new DeleteWebhookHandler(hooks.requests, hooks.signal).execute(new DeleteWebhook(by, id));
const list = async (by = context): Promise<Json[]> => {
  const reply = await new ListWebhooksHandler(hooks.store.writes).execute(new ListWebhooks(by, {}));
  return (reply.body as Json).data.rows;
};
const former = async (): Promise<object[]> => {
  const [row] = await hooks.sql<{ former_secrets: object[] }>(
    'select former_secrets from webhooks.endpoints where tenant_id = $1',
    [context.tenant.id],
  );
  return row.former_secrets;
};
const get = async (id: string, by = context): Promise<Json> => {
  const reply = await new GetWebhookHandler(hooks.store.writes).execute(new GetWebhook(by, id as never));
  return (reply.body as Json).data;
};

describe('registration', () => {
  it('shows the secret once, and keeps it encrypted', async () => {
    const webhook = await created();
    expect(webhook.secret).toMatch(/^whsec_/);
    expect(JSON.stringify([await list(), await get(webhook.id)])).not.toContain('secret');
    const rows = await hooks.sql('select * from webhooks.endpoints where tenant_id = $1', [
      context.tenant.id,
    ]);
    expect(JSON.stringify(rows)).not.toContain(webhook.secret.slice(6));
  });

  it('creates or replaces by the id that the caller chose', async () => {
    const id = `webhook_${'ab'.repeat(16)}`;
    const secret = '12345678-0000-0000-0000-123456789012';
    const body = { ...valid, id, secret, enabled: true };
    await expect(register({ ...valid, id })).rejects.toMatchObject({ code: 'required' });
    expect(await register(body)).toMatchObject({ status: 201, body: undefined });
    await register({ ...body, secret: undefined, enabled: false, events: ['*'] });
    expect(await list()).toEqual([
      expect.objectContaining({ id, version: 2, enabled: false, disabledReason: 'owner', events: ['*'] }),
    ]);
    const other = await hooks.tenant();
    expect(await register(body, other)).toMatchObject({ status: 201 });
    expect((await list())[0]).toMatchObject({ version: 2 });
    await Promise.all([register({ ...body, description: 'a' }), register({ ...body, description: 'b' })]);
    expect(await list()).toHaveLength(1);
  });

  it('creates a webhook that is put while it is being removed', async () => {
    const body = {
      ...valid,
      id: `webhook_${'ef'.repeat(16)}`,
      secret: '12345678-0000-0000-0000-123456789012',
    };
    await register(body);
    let put: ReturnType<typeof register> | undefined;
    await hooks.store.writes.transaction(async (client) => {
      await client.query('delete from webhooks.endpoints where tenant_id = $1', [context.tenant.id]);
      put = register(body);
      const isWaiting = async () =>
        (await hooks.sql(`select from pg_locks where not granted and locktype = 'transactionid'`)).length > 0;
      await waitFor(isWaiting, { description: 'the registration to wait for the removal' });
    });
    expect(await put).toMatchObject({ status: 201, headers: { ETag: '"1"' } });
    expect(await list()).toHaveLength(1);
  });

  it.each([
    [{ events: ['matter.exploded'] }, 'unknown_event', '/events/0'],
    [{ events: [] }, 'too_few', '/events'],
    [{ events: ['matter.*', 'nothing.*'] }, 'unknown_event', '/events/1'],
    [{ url: 'https://10.0.0.1/' }, 'invalid_url', '/url'],
    [{ url: 'ftp://hooks.example.com/' }, 'invalid_url', '/url'],
    [{ secret: 'whsec_c2hvcnQ=' }, 'invalid_secret', '/secret'],
  ])('refuses %j', async (fields, code, pointer) => {
    await expect(async () => create(fields)).rejects.toMatchObject({ code, errors: [{ pointer }] });
    expect(await list()).toEqual([]);
  });

  it('needs the permission to read what is sent, and so does a change', async () => {
    const reader = await hooks.tenant(['webhooks:read', 'webhooks:write', 'matters:read']);
    for (const events of [
      ['*'],
      ['workitem.*'],
      ['PE.Mk2.Accounting.V1.ClientCreated'],
      ['webhook.failing', 'client.updated'],
    ])
      await expect(async () => create({ events }, reader)).rejects.toMatchObject({
        code: 'permission_denied',
      });
    const webhook = await created({ events: ['matter.*'] });
    const less = { ...reader, tenant: context.tenant };
    expect((await created({ events: ['matter.*'] }, reader)).events).toEqual(['matter.*']);
    const wide = await created({ events: ['client.created'] });
    await expect(patch(wide.id, { url: 'https://evil.example.com/' }, less)).rejects.toMatchObject({
      code: 'permission_denied',
    });
    await expect(patch(webhook.id, { events: ['*'] }, less)).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });

  it('takes twenty webhooks of a tenant, however many are registered at once', async () => {
    const made = await Promise.allSettled(Array.from({ length: 22 }, () => create()));
    const refused = made.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused.map(({ reason }) => reason.code)).toEqual(['too_many_webhooks', 'too_many_webhooks']);
    await remove((await list())[0].id);
    expect((await create()).status).toBe(201);
  });
});

describe('changes', () => {
  it('are guarded by the version', async () => {
    const { id } = await created();
    await expect(patch(id, { description: 'x' }, { ...context, ifMatch: ['7'] })).rejects.toMatchObject({
      code: 'version_mismatch',
      headers: { ETag: '"1"' },
    });
    const reply = await patch(id, { description: 'x', payloadMode: 'thin' }, { ...context, ifMatch: ['1'] });
    expect(reply.body).toMatchObject({ data: { version: 2, description: 'x', payloadMode: 'thin', url } });
    expect((await patch(id, { description: null, payloadMode: null })).body).toMatchObject({
      data: { description: null, payloadMode: 'full' },
    });
  });

  it('leave the events as they are when they name none, with null as without the field', async () => {
    const { id } = await created({ events: ['matter.*'] });
    const reply = await patch(id, { enabled: false, events: null });
    expect(reply.body).toMatchObject({ data: { version: 2, enabled: false, events: ['matter.*'] } });
    await expect(patch(id, { events: [] })).rejects.toMatchObject({ code: 'too_few' });
  });

  it('are guarded by the version when a webhook is put, where version 0 stands for a new one', async () => {
    const secret = '12345678-0000-0000-0000-123456789012';
    const put = (ifMatch: RequestContext['ifMatch']) =>
      register({ ...valid, id: `webhook_${'cd'.repeat(16)}`, secret }, { ...context, ifMatch });
    for (const ifMatch of ['*', ['1']] as const)
      await expect(put(ifMatch)).rejects.toMatchObject({
        code: 'version_mismatch',
        headers: { ETag: '"0"' },
      });
    expect(await put(['0'])).toMatchObject({ status: 201 });
    await expect(put(['0'])).rejects.toMatchObject({ code: 'version_mismatch', headers: { ETag: '"1"' } });
    expect(await put(['1'])).toMatchObject({ headers: { ETag: '"2"' } });
  });

  it('pause and resume, and resuming enables too', async () => {
    const { id } = await created();
    expect((await toggle(id, true)).body).toMatchObject({ data: { paused: true, version: 2 } });
    expect((await toggle(id, true)).body).toMatchObject({ data: { paused: true, version: 2 } });
    await patch(id, { enabled: false });
    expect(await get(id)).toMatchObject({ enabled: false, disabledReason: 'owner' });
    expect((await toggle(id, false)).body).toMatchObject({
      data: { paused: false, enabled: true, disabledReason: null, disabledOn: clock.now().toISOString() },
    });
  });

  it('keep former secrets for a day', async () => {
    const first = await created();
    const second = ((await rotate(first.id)).body as Json).data.secret;
    expect(second).not.toBe(first.secret);
    expect(await former()).toEqual([{ secret: expect.any(String), until: '2026-03-02T12:00:00.000Z' }]);
    await rotate(first.id, '12345678-0000-0000-0000-123456789012');
    expect(await former()).toHaveLength(2);
    clock.at = new Date('2026-03-02T12:00:01Z');
    await rotate(first.id);
    expect(await former()).toHaveLength(1);
    clock.at = new Date('2026-03-01T12:00:00Z');
  });

  it('keep no more than three former secrets: a signature of each is sent', async () => {
    const { id } = await created();
    for (let count = 0; count < 10; count++) await rotate(id);
    expect(await former()).toHaveLength(3);
  });

  it('keep the former secret even when a webhook is given its new one again and again', async () => {
    const { id } = await created();
    const [one, other] = ['1', '2'].map((digit) => `00000000-0000-0000-0000-${digit.repeat(12)}`);
    for (let count = 0; count < 5; count++) await rotate(id, one);
    expect(await former()).toHaveLength(1);
    await rotate(id, other);
    await rotate(id, one);
    expect(await former()).toHaveLength(2);
  });

  it('keep former secrets when a webhook is put with the secret that it has', async () => {
    const { id } = await created();
    const secret = '12345678-0000-0000-0000-123456789abc';
    await rotate(id, secret);
    for (const same of [secret, secret.toUpperCase()]) await register({ ...valid, id, secret: same });
    expect(await former()).toHaveLength(1);
    await register({ ...valid, id, secret: '00000000-0000-0000-0000-123456789abc' });
    expect(await former()).toEqual([]);
  });

  it('that change nothing make no version', async () => {
    const webhook = await created({ description: 'Same' });
    const { url, events, enabled, payloadMode, description } = webhook;
    await patch(webhook.id, { url, events, enabled, payloadMode, description });
    await patch(webhook.id, {});
    expect(await get(webhook.id)).toMatchObject({ version: 1, updatedOn: webhook.updatedOn });
  });

  it('do not reach the webhooks of another tenant', async () => {
    const { id } = await created();
    const other = await hooks.tenant();
    await expect(get(id, other)).rejects.toMatchObject({ code: 'not_found' });
    await expect(patch(id, { description: 'x' }, other)).rejects.toMatchObject({ code: 'not_found' });
    await expect(remove(id, other)).rejects.toMatchObject({ code: 'not_found' });
    expect(await list(other)).toEqual([]);
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string, hash = 'one'): RequestContext => ({
    ...context,
    idempotency: { key, hash: Buffer.from(hash) },
  });

  it('gives a repeat the first answer with its secret, even at the same time', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => create({}, keyed('k'))));
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(replies.filter(({ headers }) => headers['Idempotent-Replayed'] === 'true')).toHaveLength(4);
    expect(await list()).toHaveLength(1);
    await expect(create({}, keyed('k', 'two'))).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('stores no refusal, and nothing for longer than a day', async () => {
    const missing = `webhook_${'0'.repeat(32)}`;
    await expect(patch(missing, {}, keyed('r'))).rejects.toMatchObject({ code: 'not_found' });
    const { id } = await created({}, keyed('r', 'two'));
    clock.at = new Date('2026-03-02T12:00:01Z');
    expect((await created({}, keyed('r', 'three'))).id).not.toBe(id);
    clock.at = new Date('2026-03-01T12:00:00Z');
  });
});
