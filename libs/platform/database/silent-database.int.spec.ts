import type { FastifyReply } from 'fastify';
import { testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { SilentRoute } from '../../../test/support/silent-route';
import { waitFor } from '../../../test/support/wait-for';
import { ReadDatabase, WriteDatabase } from '../database';
import { Health } from '../observability/health';
import { HealthController } from '../observability/health.controller';
import { isConnectionLost, isOutage } from './connection-lost';

describe('a database that falls silent', () => {
  let test: TestDatabase;
  let route: SilentRoute;
  let writes: WriteDatabase;
  let reads: ReadDatabase;

  beforeAll(async () => {
    test = await createTestDatabase();
    route = await SilentRoute.to(test.url);
    [writes, reads] = [new WriteDatabase(testConfig(route.url)), new ReadDatabase(testConfig(route.url))];
  });
  afterAll(async () => {
    await Promise.all([writes, reads].map((database) => database.onApplicationShutdown()));
    await route.close();
    await test.drop();
  });

  async function ready(
    health = new Health(),
    controller = new HealthController(writes, reads, health),
  ): Promise<[number, unknown]> {
    const reply = { statusCode: 200, server: { drain: { isBegun: false } }, status: jest.fn() };
    const body = await controller.ready(reply as unknown as FastifyReply);
    return [reply.status.mock.calls[0]?.[0] ?? 200, body];
  }

  it('is given up on like a lost one, and readiness reports it at once', async () => {
    const errorOf = (work: Promise<unknown>) =>
      work.then(
        () => undefined,
        (error: unknown) => error,
      );
    const one = (client: { query(text: string): Promise<unknown> }) => client.query('select 1');
    expect(await ready()).toEqual([200, { status: 'ok', checks: { eventStore: 'ok', readModels: 'ok' } }]);
    const began = performance.now();
    const work = writes.transaction(async (client) => {
      await one(client);
      route.fallSilent();
      await one(client);
    });
    await waitFor(() => route.isSilent, { description: 'the database to fall silent' });
    const failing = [errorOf(work), errorOf(one(reads.pool))];
    const checks = { eventStore: 'unavailable', readModels: 'unavailable' };
    expect(await ready()).toEqual([503, { status: 'unavailable', checks }]);
    for (const error of await Promise.all(failing)) {
      expect(isConnectionLost(error)).toBe(true);
      expect(isOutage(error)).toBe(true);
    }
    expect(performance.now() - began).toBeLessThan(40_000);
    route.speak();
    await Promise.all([one(writes.pool), one(reads.pool)]);
    await waitFor(async () => (await ready())[0] === 200, { description: 'readiness' });
  });

  it('is not reported by a process just because its connections are all in use', async () => {
    const all = Array.from({ length: reads.pool.options.max }, () => reads.pool.connect());
    const taken = await Promise.all(all);
    const health = new Health();
    const checks = { eventStore: 'ok', readModels: 'ok' };
    expect(await ready(health)).toEqual([200, { status: 'ok', checks }]);
    health.watch(async () => (await reads.pool.query('select')).rows.map(String));
    const degraded = ['not known: a part could not be asked'];
    expect(await ready(health)).toEqual([200, { status: 'degraded', checks, degraded }]);
    for (const client of taken) client.release();
  });

  it('leaves a process that only writes ready when it is the database of the read models', async () => {
    const store = new WriteDatabase(testConfig(test.url));
    const writing = new HealthController(store, reads, new Health(), true);
    expect(await ready(undefined, writing)).toMatchObject([200, { status: 'ok' }]);
    route.fallSilent();
    const checks = { eventStore: 'ok', readModels: 'unavailable' };
    const degraded = ['the read models do not answer'];
    expect(await ready(undefined, writing)).toEqual([200, { status: 'degraded', checks, degraded }]);
    await store.onApplicationShutdown();
    const lost = await ready(undefined, new HealthController(writes, reads, new Health(), true));
    expect(lost).toMatchObject([503, { status: 'unavailable' }]);
    route.speak();
  });
});
