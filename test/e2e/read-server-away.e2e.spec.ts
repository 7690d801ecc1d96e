import { send } from '../support/client';
import type { RunningApp } from '../support/process';
import { SilentRoute } from '../support/silent-route';
import { waitFor } from '../support/wait-for';
import type { Office } from './office';
import { TwoDatabases } from './two-databases';

const metrics = async ({ baseUrl }: RunningApp) => (await fetch(`${baseUrl}/metrics`)).text();
const ready = ({ baseUrl }: RunningApp) => send('GET', `${baseUrl}/health/ready`);

describe('a deployment whose read models are on a server that is away', () => {
  let two: TwoDatabases;
  let route: SilentRoute;
  let office: Office;
  let command: RunningApp;
  let query: RunningApp;
  let projector: RunningApp;
  beforeAll(async () => {
    two = await TwoDatabases.create();
    route = await SilentRoute.to(two.read.url);
    office = await two.office({ READ_DATABASE_URL: route.url });
    command = await office.start('command');
    [query, projector] = await Promise.all([office.start('query'), office.start('projector')]);
  });
  afterAll(async () => {
    await office?.close();
    await route?.close();
    await two?.drop();
  });

  it('takes writes, and shows them when it is back', async () => {
    await office.cli('tenants', 'create', '--alias', 'acme', '--name', 'Acme');
    const credentials = await office.integration('acme');
    const api = await office.caller('acme', credentials, { at: { reads: query.baseUrl } });
    route.fallSilent();
    const [writing, reading] = await Promise.all([command, query].map(ready));
    const checks = { eventStore: 'ok', readModels: 'unavailable' };
    expect(writing).toMatchObject({ status: 200, body: { status: 'degraded', checks } });
    expect(reading).toMatchObject({ status: 503, body: { status: 'unavailable', checks } });
    // Prometheus waits for ten seconds.
    const askedAt = performance.now();
    const scraped = await metrics(projector);
    expect(performance.now() - askedAt).toBeLessThan(8_000);
    expect(scraped).toMatch(/^process_cpu_seconds_total \d/m);
    expect(scraped).not.toMatch(/^projection_\w+\{/m);
    const id = await api.create('roles', { name: 'Written meanwhile' });
    const another = await office.start('command');
    const writer = await office.caller('acme', credentials, {
      at: { writes: another.baseUrl, reads: query.baseUrl },
    });
    const second = await writer.create('roles', { name: 'Written by one that has started meanwhile' });

    route.speak();
    // Silent connections are still handed out, and each is given up only after a while.
    await waitFor(async () => (await api.get(`roles/${id}`)).status === 200, { description: 'the role' });
    expect((await writer.get(`roles/${second}`)).status).toBe(200);
    await waitFor(async () => (await ready(command)).body.status === 'ok', { description: 'health' });
    const lags = async () => /^projection_lag_seconds\{/m.test(await metrics(projector));
    await waitFor(lags, { description: 'the lag of the read models' });
    expect(await metrics(projector)).toMatch(
      /^metric_collection_failures_total\{metric="projection_lag_seconds"\} [1-9]/m,
    );
  });
});
