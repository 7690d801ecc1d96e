import { SystemClock } from '#kernel/clock';
import { newId, toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { Role } from '#practice/roles/role';
import { newTenant, Tenant } from '#practice/tenants/tenant';
import { waitFor } from '../../../test/support/wait-for';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import { ListDeliveries, ListDeliveriesHandler } from '../webhook.queries';

interface Queued {
  webhook_id: string;
  type: string;
  sent_as: string;
  changed: string;
  subject: string;
  version: number;
}

let hooks: Webhooks;
let context: RequestContext;

beforeAll(async () => {
  hooks = await openWebhooks(new SystemClock());
});
beforeEach(async () => {
  context = await hooks.tenant();
});
afterAll(() => hooks.close());

const queuedOf = (tenant = context.tenant.id) =>
  hooks.sql<Queued>('select * from webhooks.deliveries where tenant_id = $1 order by event_id', [tenant]);

/** The queued messages of the tenant, once the fan-out has passed every event. */
async function queued(): Promise<Queued[]> {
  const { partition } = context.tenant;
  const passed = async () => {
    const [{ behind }] = await hooks.sql<{ behind: boolean }>(
      `select exists (select from event_store.events e where e.partition = $1 and not exists (
         select from webhooks.checkpoints c where c.partition = $1
           and (c.epoch, c.transaction_id, c.position) >= (e.epoch, e.transaction_id, e.position))) as behind`,
      [partition],
    );
    return !behind;
  };
  await waitFor(passed, { description: 'the fan-out to come past all events' });
  return queuedOf();
}

/** Creates a role by one event, from that source. */
function role(name: string, source = 'rest') {
  const data = { name, kind: 'Custom', externalReference: null, referenceOwner: null };
  return hooks.store.store.execute(
    context,
    async (work) => work.create(Role, newId('role'), [{ type: 'RoleCreated', data }]),
    { source },
  );
}

it('queues what was written while no worker ran, but nothing from before the registration', async () => {
  await role('Before');
  const webhook = await hooks.hook(context, { events: ['role.*'] });
  const written = [await role('First'), await role('Second')];
  expect(await queuedOf()).toEqual([]);
  hooks.fanOut.start();
  const rows = await queued();
  expect(
    rows.map(({ subject, webhook_id }) => ({ subject: subject.replaceAll('-', ''), webhook_id })),
  ).toEqual(written.map(({ record }) => ({ subject: record.id.split('_')[1], webhook_id: webhook })));
});

it('queues what waits in several transactions, so that none holds back the feed for long', async () => {
  await hooks.hook(context, { events: ['role.created'] });
  await Promise.all(Array.from({ length: 300 }, (_, number) => role(`R${number}`)));
  hooks.fanOut.start();
  expect(await queued()).toHaveLength(300);
  const parts = await hooks.sql<{ count: number }>(
    'select count(*)::int from webhooks.deliveries where tenant_id = $1 group by xmin::text',
    [context.tenant.id],
  );
  expect(Math.max(...parts.map(({ count }) => count))).toBeLessThanOrEqual(250);
});

it('queues each event once, even when workers take partitions from each other', async () => {
  await hooks.hook(context, { events: ['role.created'] });
  hooks.otherFanOut.start();
  const work = Promise.all(Array.from({ length: 200 }, (_, number) => role(`R${number}`)));
  await waitFor(async () => (await queuedOf()).length > 20, { description: 'some messages to be queued' });
  await hooks.fanOut.onApplicationShutdown();
  await work;
  const rows = await queued();
  expect(rows).toHaveLength(200);
  expect(new Set(rows.map(({ subject }) => subject)).size).toBe(200);
});

it('uses the form of the name that was subscribed to', async () => {
  const [own, qualified, all] = await Promise.all([
    hooks.hook(context, { events: ['role.created'] }),
    hooks.hook(context, { events: ['PE.Mk2.Accounting.V1.RoleCreated'] }),
    hooks.hook(context, { events: ['*'] }),
  ]);
  await hooks.hook(context, { events: ['role.updated', 'division.*'] });
  await role('Witness');
  const forms = Object.fromEntries((await queued()).map(({ webhook_id, sent_as }) => [webhook_id, sent_as]));
  expect(forms).toEqual({
    [own]: 'role.created',
    [qualified]: 'PE.Mk2.Accounting.V1.RoleCreated',
    [all]: 'role.created',
  });
  const log = new ListDeliveriesHandler(hooks.store.writes, hooks.store.reads);
  for (const type of ['role.created', 'PE.Mk2.Accounting.V1.RoleCreated']) {
    const { body } = await log.execute(new ListDeliveries(context, toId('webhook', qualified), { type }));
    expect(body).toMatchObject({ data: { rows: [{ type: 'PE.Mk2.Accounting.V1.RoleCreated' }] } });
  }
});

it('names the fields that changed', async () => {
  await hooks.hook(context, { events: ['role.*'] });
  const { record } = await role('Witness');
  await hooks.store.store.execute(context, async (work) => {
    return work.change(Role, record as never, [{ type: 'RoleUpdated', data: { name: 'Executor' } }]);
  });
  await hooks.store.store.execute(context, async (work) => {
    return work.change(Role, { ...record, version: 2 } as never, [{ type: 'RoleDeleted', data: {} }]);
  });
  expect((await queued()).map(({ type, changed, version }) => [type, JSON.parse(changed), version])).toEqual([
    ['role.created', ['externalReference', 'kind', 'name'], 1],
    ['role.updated', ['name'], 2],
    ['role.deleted', ['isDeleted'], 3],
  ]);
});

it('queues nothing for the single rows of bulk work', async () => {
  await hooks.hook(context, { events: ['*'] });
  await role('Imported', 'import');
  await role('Made up', 'demo');
  await role('Written');
  expect(await queued()).toHaveLength(1);
});

it('queues the end of an import, and nothing else that happens to the tenant itself', async () => {
  const webhooks = await Promise.all(
    [['*'], ['import.*'], ['import.promoted']].map((events) => hooks.hook(context, { events })),
  );
  await hooks.hook(context, { events: ['role.*'] });
  const data = {
    requestId: newId('replay').slice(7),
    sourceSystem: 'Ledger 4',
    at: '2026-04-01T06:00:00.000Z',
    records: { created: 2, changed: 0 },
  };
  await hooks.store.store.execute(
    context,
    async (work) =>
      work.create(Tenant, toId('tenant', context.tenant.streamId), [
        ...newTenant('Firm', 'uk'),
        { type: 'TenantSettingsChanged', data: { firmName: 'Firm & Firm' } },
        { type: 'ImportPromoted', data },
      ]),
    { source: 'import' },
  );
  const rows = await queued();
  expect(rows.map(({ webhook_id }) => webhook_id).sort()).toEqual([...webhooks].sort());
  for (const { type, sent_as, changed, version, subject } of rows) {
    expect({ type, sent_as, changed, version, subject }).toEqual({
      type: 'import.promoted',
      sent_as: 'import.promoted',
      changed: '["lastImport"]',
      version: 3,
      subject: context.tenant.streamId,
    });
  }
});

it('queues for an integration only what its tenant lets it read now', async () => {
  await hooks.hook(context, { events: ['role.created'] });
  const grant = (change: string) =>
    hooks.sql(`update platform.grants set ${change} where tenant_id = $1`, [context.tenant.id]);
  await grant(`permissions = '{webhooks:write,divisions:read}'`);
  await role('Hidden');
  expect(await queued()).toEqual([]);
  await grant(`permissions = '{roles:read}'`);
  await role('Shown');
  expect(await queued()).toHaveLength(1);
  await grant('revoked_at = now()');
  await role('Hidden again');
  expect(await queued()).toHaveLength(1);
});

it('notes where the hour of the events began, so that they can be found again', async () => {
  const [{ hour }] = await hooks.sql<{ hour: Date }>('select max(hour) as hour from webhooks.hours');
  expect(hour.getTime()).toBeLessThanOrEqual(Date.now());
  expect(Date.now() - hour.getTime()).toBeLessThan(3_600_000 * 2);
});

it('keeps where the days begin that polling shows, even when the log keeps fewer days', async () => {
  const { config } = hooks.store;
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const days = (count: number) => new Date(hour - count * 86_400_000);
  for (const began of [days(40), days(31), days(20), days(2)])
    await hooks.sql('insert into webhooks.hours values (99, $1, 1, 1::text::xid8, 1)', [began]);
  const kept = config.WEBHOOKS_LOG_DAYS;
  Object.assign(config, { WEBHOOKS_LOG_DAYS: 4 });
  await hooks.pruning.prune();
  Object.assign(config, { WEBHOOKS_LOG_DAYS: kept });
  const rows = await hooks.sql<{ hour: Date }>(
    'select hour from webhooks.hours where partition = 99 order by hour',
  );
  expect(rows).toEqual([days(31), days(20), days(2)].map((began) => ({ hour: began })));
});
