import { randomUUID } from 'node:crypto';
import { BulkAppender } from '#event-store/append/append-bulk';
import { Grants } from '#platform/auth/grants';
import { Integrations } from '#platform/auth/integrations';
import type { RegisteredTenant } from '#platform/auth/tenants';
import type { Firm } from '../../../test/support/firms/firm';
import { writeFirm } from '../../../test/support/firms/write-firm';
import { CancelImport, CancelImportHandler } from '../api/import.commands';
import type { ImportRun } from '../import-run';
import { ImportSettings } from '../import-settings';
import { ImportRequests } from '../requests/import-requests';
import type { TakenRequest } from '../requests/leased-requests';
import { type Imports, openImports } from '../testing/import-parts';
import { stageSource } from '../testing/staged-source';

describe('an import that is loaded again', () => {
  let imports: Imports;
  let firm: Firm;

  beforeAll(async () => {
    imports = await openImports();
    await imports.dropStandardCodes();
    firm = await writeFirm(imports.client, { items: 600 });
    imports.runner.start();
  });
  afterAll(() => imports.close());

  const tenant = async (id: number) => {
    const tenants = await imports.tenants.list();
    return tenants.find((one) => one.id === id)!;
  };

  async function work({ id }: RegisteredTenant) {
    const [row] = await imports.sql<{ count: number; amount: string | null }>(
      `select count(*)::int as count, sum(total)::numeric(20, 2)::text as amount
       from read_model.work_items where tenant_id = $1`,
      [id],
    );
    return row;
  }

  /** A BulkAppender that calls `happening` after the given number of streams. */
  const interrupted = (after: number, happening: () => void): BulkAppender =>
    Object.assign(Object.create(imports.bulk), {
      append: (context: never, streams: AsyncIterable<never>, source: string) => {
        const counted = async function* () {
          let count = 0;
          for await (const stream of streams) {
            if (++count === after) happening();
            yield stream;
          }
        };
        return imports.bulk.append(context, counted(), source);
      },
    });

  it('stops with the reason of an abort, and begins afresh in a new staging tenant with equal figures', async () => {
    const cancelled = new AbortController();
    const reason = new Error('The import was cancelled');
    const run = await imports.run({ signal: cancelled.signal });
    await stageSource(imports.client, run.staging);
    const first = imports.loading(interrupted(700, () => cancelled.abort(reason)));
    await expect(first.load(run)).rejects.toBe(reason);
    const dead = await imports.tenants.get('firm--staging');
    const [{ events }] = await imports.sql<{ events: number }>(
      'select count(*)::int as events from event_store.events where tenant_id = $1',
      [dead.id],
    );
    expect(events).toBeGreaterThan(0);

    const again = await imports.run({ requestId: run.requestId });
    const staging = await imports.loading().load(again);
    expect(staging.id).not.toBe(dead.id);
    expect(await tenant(dead.id)).toMatchObject({
      alias: `firm--staging-${dead.id}`,
      partition: staging.partition,
    });
    expect(await work(staging)).toEqual(firm.work.total);
    const requests = await imports.sql('select staging_tenant_id as id from import.requests where id = $1', [
      run.requestId,
    ]);
    expect(requests).toEqual([{ id: staging.id }]);
    await imports.finish(run);

    await imports.loading().settle(new AbortController().signal);
    expect(await imports.sql('select from read_model.held')).toEqual([]);
    const audited = await imports.audit.audit('work-items', { tenant: `firm--staging-${dead.id}` });
    expect([audited.differing, audited.differences]).toEqual([0, []]);
  });

  const worker = randomUUID();
  it.each([
    [
      'by the worker that carries it out',
      async ({ requestId }: ImportRun) => {
        await imports.client.query('update import.requests set leased_by = $2 where id = $1', [
          requestId,
          worker,
        ]);
        const requests = new ImportRequests(imports.store.writes, new ImportSettings());
        await requests.end(requestId, worker, 'Cancelled', '');
      },
    ],
    [
      'while no worker carries it out',
      async ({ requestId }: ImportRun) => {
        const change = { client: imports.client, now: new Date() };
        const repeats = { execute: (_: unknown, work: (given: unknown) => unknown) => work(change) };
        const handler = new CancelImportHandler(repeats as never);
        await handler.execute(new CancelImport(imports.production, requestId));
      },
    ],
    [
      'by a later import that takes its place',
      async ({ requestId }: ImportRun) => {
        await imports.client.query(
          `update import.requests set status = 'Validated', is_kept = true where id = $1`,
          [requestId],
        );
        const later = { requestId: randomUUID(), tenant: imports.tenant } as TakenRequest;
        await new ImportRequests(imports.store.writes, new ImportSettings()).supersede(imports.client, later);
      },
    ],
  ])('cannot be read by anybody when it is cancelled, %s', async (_name, cancel) => {
    const run = await imports.run();
    await stageSource(imports.client, run.staging);
    const loading = imports.loading(
      interrupted(700, () => {
        throw new Error('The process has died');
      }),
    );
    await expect(loading.load(run)).rejects.toThrow('died');
    const half = await imports.tenants.get('firm--staging');
    await cancel(run);
    expect(await tenant(half.id)).toMatchObject({ alias: `firm--staging-${half.id}` });
    const grants = await imports.sql(
      'select from platform.grants where tenant_id = $1 and revoked_at is null',
      [half.id],
    );
    expect(grants).toEqual([]);
    await imports.loading().settle(new AbortController().signal);
    expect(await imports.sql('select from read_model.held')).toEqual([]);
  });

  it('gives its records the same ids in each staging tenant', async () => {
    const load = async () => {
      const run = await imports.run();
      await stageSource(imports.client, run.staging);
      const staging = await imports.loading().load(run);
      await imports.finish(run);
      return staging;
    };
    const before = await load();
    const staging = await load();
    const ids = (id: number) =>
      imports.sql(
        `select stream_id, state -> 'data' as data from event_store.streams
         where tenant_id = $1 and kind not in ('tenant', 'entity') order by stream_id`,
        [id],
      );
    expect(await ids(staging.id)).toEqual(await ids(before.id));
    expect(await work(staging)).toEqual(firm.work.total);
  });

  it('is open to integrations of the parent, except for webhooks and imports, and the tenant before it is open to none', async () => {
    const integrations = new Integrations(imports.store.writes, imports.tenants);
    const permissions = ['workitems:read', 'webhooks:read', 'webhooks:write', 'reports:read', 'etl:write'];
    const terms = { tenant: 'firm', permissions, limit: 7, period: 11 };
    const { integrationId, clientId } = await integrations.create({ name: 'Ledger', ...terms });
    const shut = await integrations.create({ name: 'Gone', ...terms });
    await integrations.revoke({ clientId: shut.clientId }, 'firm');
    const before = await imports.tenants.get('firm--staging');
    await integrations.grant({ clientId }, { ...terms, tenant: before.alias });
    const run = await imports.run();
    await stageSource(imports.client, run.staging);
    const staging = await imports.loading().load(run);
    await imports.finish(run);
    const grants = new Grants(imports.store.writes);
    expect(await grants.find(integrationId, staging.alias)).toMatchObject({
      tenant: { id: staging.id },
      limit: 7,
      period: 11,
      permissions: new Set(['workitems:read', 'reports:read']),
    });
    expect(await grants.find(shut.integrationId, staging.alias)).toBeUndefined();
    expect(await grants.find(integrationId, `firm--staging-${before.id}`)).toBeUndefined();
    // A permission that is revoked in the parent is revoked in the staging tenant, too.
    const found = () => new Grants(imports.store.writes).find(integrationId, staging.alias);
    await integrations.grant({ clientId }, { tenant: 'firm', permissions: ['reports:read', 'audit:read'] });
    expect(await found()).toMatchObject({ permissions: new Set(['reports:read']) });
    // The staging tenant never has more permissions than the parent.
    await integrations.grant({ clientId }, { tenant: staging.alias, permissions });
    await integrations.grant({ clientId }, { tenant: 'firm', limit: 8 });
    expect(await found()).toMatchObject({ permissions: new Set(['reports:read']) });
    await integrations.revoke({ clientId }, 'firm');
    expect(await found()).toBeUndefined();
  });

  it('is open to integrations that the parent lets in later or again, and the tenant before it is open to none', async () => {
    const integrations = new Integrations(imports.store.writes, imports.tenants);
    const run = await imports.run();
    await stageSource(imports.client, run.staging);
    const before = await imports.tenants.get('firm--staging');
    const staging = await imports.loading().load(run);
    await imports.finish(run);
    const permissions = ['workitems:read', 'webhooks:read', 'etl:write'];
    const terms = { tenant: 'firm', permissions, limit: 7, period: 11 };
    const made = await integrations.create({ name: 'Late', ...terms });
    const allowed = { tenant: { id: staging.id }, permissions: new Set(['workitems:read']), limit: 7 };
    const seen = (alias: string) => new Grants(imports.store.writes).find(made.integrationId, alias);
    expect(await seen(staging.alias)).toMatchObject(allowed);
    expect(await seen(`firm--staging-${before.id}`)).toBeUndefined();
    await integrations.revoke({ clientId: made.clientId }, 'firm');
    expect(await seen(staging.alias)).toBeUndefined();
    await integrations.grant({ clientId: made.clientId }, terms);
    expect(await seen(staging.alias)).toMatchObject(allowed);
  });

  it('is found under its alias at once, also by an integration that has just used the tenant before it', async () => {
    const integrations = new Integrations(imports.store.writes, imports.tenants);
    const { integrationId } = await integrations.create({ name: 'Reader', tenant: 'firm' });
    const grants = new Grants(imports.store.writes);
    const seen = async () => (await grants.find(integrationId, 'firm--staging'))?.tenant.id;
    expect(await seen()).toBe((await imports.tenants.get('firm--staging')).id);
    for (let times = 0; times < 2; times++) {
      const run = await imports.run();
      await stageSource(imports.client, run.staging);
      const staging = await imports.loading().load(run);
      await imports.finish(run);
      expect(await seen()).toBe(staging.id);
    }
  });

  it('never takes the alias of a tenant that no import has created', async () => {
    const other = await imports.setup.create({ alias: 'other', name: 'Other' });
    // A tenant could have this alias before such aliases were reserved for imports.
    const own = await imports.tenants.register({ alias: 'other--staging' });
    const run = await imports.run({ tenant: other });
    await expect(imports.loading().load(run)).rejects.toMatchObject({ code: 'staging_alias_taken' });
    expect(await tenant(own.id)).toMatchObject({ alias: 'other--staging' });
  });
});
