import { Logger } from '@nestjs/common';
import { register } from 'prom-client';
import { v7 } from 'uuid';

import { DomainError } from '#kernel/errors';
import { Config } from '#platform/config';
import { WriteDatabase } from '#platform/database';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { SetClock } from '../../../test/support/set-clock';
import { deleteEndedWindows } from './ended-windows';
import { type Admission, RateLimiter, type RateSubject } from './rate-limiter';

/** Sends n requests at once. @returns how many were admitted */
async function admitted(limiter: RateLimiter, subject: RateSubject, n: number): Promise<number> {
  const tries = Array.from({ length: n }, async () => limiter.admit(subject).admitted);
  const outcomes = await Promise.allSettled(tries);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'rate_limited' });
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

describe('RateLimiter', () => {
  let test: TestDatabase;
  let databases: WriteDatabase[];
  let clock: SetClock;
  let subject: RateSubject;
  const limiters = () => databases.map((database) => new RateLimiter(database, clock));

  beforeAll(async () => {
    test = await createTestDatabase();
    const config = Object.assign(new Config(), { DATABASE_URL: test.url });
    databases = [new WriteDatabase(config), new WriteDatabase(config)];
  });
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.onApplicationShutdown()));
    await test.drop();
  });
  beforeEach(() => {
    clock = new SetClock(new Date('2026-03-01T12:00:15Z'));
    subject = { tenantId: 1, integrationId: v7(), limit: 100, period: 60 };
  });
  afterEach(() => jest.restoreAllMocks());

  it('admits exactly the limit across two processes', async () => {
    const [one, other] = limiters();
    const counts = await Promise.all([admitted(one, subject, 100), admitted(other, subject, 100)]);
    expect(counts[0] + counts[1]).toBe(100);
    expect(await admitted(one, subject, 1)).toBe(0);
    expect(await admitted(other, subject, 1)).toBe(0);
  });

  it('counts each tenant and each integration by itself', async () => {
    const [limiter] = limiters();
    expect(await admitted(limiter, subject, 101)).toBe(100);
    expect(await admitted(limiter, { ...subject, tenantId: 2 }, 101)).toBe(100);
    expect(await admitted(limiter, { ...subject, integrationId: v7() }, 101)).toBe(100);
  });

  it('starts again with the next window', async () => {
    const [limiter] = limiters();
    expect(await admitted(limiter, subject, 150)).toBe(100);
    clock.at = new Date('2026-03-01T12:00:59.999Z');
    expect(await admitted(limiter, subject, 1)).toBe(0);
    clock.at = new Date('2026-03-01T12:01:00Z');
    expect(await admitted(limiter, subject, 150)).toBe(100);
  });

  it('counts the requests of a tick in one statement', async () => {
    const [limiter] = limiters();
    const query = jest.spyOn(databases[0].pool, 'query');
    const others = { ...subject, tenantId: 2 };
    await Promise.all([admitted(limiter, subject, 50), admitted(limiter, others, 50)]);
    expect(query).toHaveBeenCalledTimes(1);
  });

  it('refuses a request without a round trip once it knows that the limit is reached', async () => {
    const [limiter] = limiters();
    await admitted(limiter, subject, 100);
    const query = jest.spyOn(databases[0].pool, 'query');
    expect(() => limiter.admit(subject)).toThrow(
      expect.objectContaining({
        fault: 'too_many',
        code: 'rate_limited',
        headers: {
          'Retry-After': '45',
          'RateLimit-Policy': '"default";q=100;w=60',
          RateLimit: '"default";r=0;t=45',
        },
      }),
    );
    expect(query).not.toHaveBeenCalled();
  });

  it('tells each request what remains', async () => {
    const [limiter] = limiters();
    const admissions: Admission[] = [limiter.admit(subject), limiter.admit(subject)];
    await Promise.all(admissions.map((admission) => admission.admitted));
    expect(admissions.map((admission) => admission.headers())).toEqual([
      { 'RateLimit-Policy': '"default";q=100;w=60', RateLimit: '"default";r=99;t=45' },
      { 'RateLimit-Policy': '"default";q=100;w=60', RateLimit: '"default";r=98;t=45' },
    ]);
  });

  it('takes leases for a large limit, and never admits more than the limit across processes', async () => {
    const large = { ...subject, limit: 2050 };
    const [one, other] = limiters();
    const query = jest.spyOn(databases[0].pool, 'query');
    let total = 0;
    for (let round = 0; round < 60; round++) {
      const counts = await Promise.all([admitted(one, large, 7), admitted(other, large, 31)]);
      total += counts[0] + counts[1];
    }
    expect(query.mock.calls.length).toBeLessThan(30);
    expect(total).toBe(2050);
  });

  it('leaves at most a lease of each process unused', async () => {
    const large = { ...subject, limit: 2000 };
    const [one, other] = limiters();
    expect(await admitted(one, large, 1)).toBe(1);
    const total = await admitted(other, large, 3000);
    expect(total).toBe(1980);
    expect(await admitted(one, large, 30)).toBe(19);
  });

  it('applies a changed limit within the window', async () => {
    const [limiter] = limiters();
    expect(await admitted(limiter, subject, 50)).toBe(50);
    expect(await admitted(limiter, { ...subject, limit: 60 }, 50)).toBe(10);
  });

  it('lets requests through when the store fails, and says so', async () => {
    const [limiter] = limiters();
    const failures = async () => {
      const metric = await register.getSingleMetric('rate_limit_failed_open_total')!.get();
      return metric.values[0].value;
    };
    const before = await failures();
    jest.spyOn(databases[0].pool, 'query').mockImplementation(() => Promise.reject(new Error('down')));
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    expect(await admitted(limiter, subject, 150)).toBe(150);
    expect(await admitted(limiter, subject, 10)).toBe(10);
    expect(await failures()).toBe(before + 160);
    expect(new Set(warn.mock.calls.flat())).toEqual(
      new Set(["Requests are let through uncounted, because the counters' database failed: down"]),
    );
  });

  it('does not wait for a store that does not answer', async () => {
    const [limiter] = limiters();
    jest.spyOn(databases[0].pool, 'query').mockImplementation(() => new Promise(() => undefined));
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    expect(await admitted(limiter, subject, 3)).toBe(3);
  });

  // Jest fails a test that leaves a rejection unhandled.
  it('causes no unhandled rejection when nobody awaits a refusal', async () => {
    const [limiter] = limiters();
    const one = { ...subject, limit: 1 };
    const [, refused] = [limiter.admit(one), limiter.admit(one)];
    await expect(refused.admitted).rejects.toBeInstanceOf(DomainError);
    limiter.admit({ ...subject, tenantId: 7, limit: 1 });
    limiter.admit({ ...subject, tenantId: 7, limit: 1 });
    await limiter.admit({ ...subject, tenantId: 8 }).admitted;
    await new Promise(setImmediate);
  });

  it('deletes windows that ended, each by the period of its own grant', async () => {
    const { pool } = databases[0];
    await pool.query(
      `insert into platform.tenants (alias, region, partition, stream_id) values ('t', 'uk', 0, gen_random_uuid());
       insert into platform.integrations (id, client_id, name, secret_hash)
         select gen_random_uuid(), name, name, '' from unnest(array['hourly', 'for good']) name;
       insert into platform.grants (tenant_id, integration_id, permissions, period_seconds)
         select t.id, i.id, '{}', case i.name when 'hourly' then 3600 else 1000000000 end
         from platform.tenants t, platform.integrations i;
       insert into platform.token_failures
         select minutes::text, now() - minutes * interval '1 minute', 1 from unnest(array[11, 9]) minutes;
       insert into platform.rate_windows
         select g.tenant_id, g.integration_id, now() - minutes * interval '1 minute', minutes
         from platform.grants g, unnest(array[61, 59]) minutes`,
    );
    await deleteEndedWindows(pool);
    const { rows } = await pool.query(
      `select i.name, w.used::int as minutes from platform.rate_windows w
       join platform.integrations i on i.id = w.integration_id order by i.name, w.used`,
    );
    expect(rows).toEqual([
      { name: 'for good', minutes: 59 },
      { name: 'for good', minutes: 61 },
      { name: 'hourly', minutes: 59 },
    ]);
    const failures = await pool.query('select subject from platform.token_failures');
    expect(failures.rows).toEqual([{ subject: '9' }]);
  });
});
