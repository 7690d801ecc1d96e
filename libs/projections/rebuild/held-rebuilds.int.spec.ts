import { Logger } from '@nestjs/common';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { waitFor } from '../../../test/support/wait-for';
import { Divisions } from '../testing/divisions';
import { expectExact } from '../testing/expect-exact';

describe('a rebuild beside a held tenant', () => {
  let divisions: Divisions;
  let parts: ReturnType<Divisions['parts']>;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    divisions = await Divisions.open(3, 5);
    parts = divisions.parts();
    parts.runner.start();
    await divisions.createMany(0, 6);
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  const alias = (index: number) => divisions.contexts[index].tenant.alias;
  const tenant = (index: number) => parts.tenants.get(alias(index));

  it('is refused for that tenant and for all tenants, but not for another tenant alone', async () => {
    await parts.held.hold(await tenant(1));
    const { rebuild } = parts;
    const refused = { code: 'tenant_held', fault: 'conflict' };
    await expect(rebuild.rebuild('divisions')).rejects.toMatchObject(refused);
    await expect(rebuild.rebuild('divisions', { tenant: alias(1) })).rejects.toMatchObject(refused);
    const newer = divisions.parts([{ ...divisionsProjection, version: 2 }, divisions.tally]).rebuild;
    expect(await newer.resume('divisions')).toBeUndefined();
    expect(await rebuild.rebuild('divisions', { tenant: alias(2) })).toMatchObject({ generation: 2 });
    await parts.held.release(await tenant(1));
    expect(await newer.resume('divisions')).toMatchObject({ generation: 3, tenant: null });
  });

  it.each<[string, () => string | undefined]>([
    ['all tenants', () => undefined],
    ['that tenant', () => alias(1)],
  ])('of %s keeps the tenant from being held as long as it is unfinished', async (kind, whom) => {
    const stopping = new AbortController();
    const stopped = parts.rebuild.rebuild('divisions', {
      tenant: whom(),
      signal: stopping.signal,
      progress: ({ phase }) => phase === 'indexing' && stopping.abort(new Error('the process ends')),
    });
    await expect(stopped).rejects.toThrow('the process ends');
    await expect(parts.held.hold(await tenant(1))).rejects.toMatchObject({ code: 'rebuild_running' });
    const other = await Promise.allSettled([parts.held.hold(await tenant(0))]);
    expect(other[0].status).toBe(kind === 'that tenant' ? 'fulfilled' : 'rejected');
    await parts.held.release(await tenant(0));
    await parts.rebuild.resume('divisions');
    await parts.held.hold(await tenant(1));
    await parts.held.release(await tenant(1));
    await divisions.createMany(6, 9);
    await expectExact(divisions.store);
  });

  it('is refused when the tenant is held just before it begins', async () => {
    const { id } = await tenant(1);
    const holder = await divisions.store.reads.session();
    await holder.query(`begin; select pg_advisory_xact_lock(hashtextextended('hold divisions', 0))`);
    await holder.query(`insert into read_model.held (projection, tenant_id) values ('divisions', $1)`, [id]);
    const rebuilding = parts.rebuild.rebuild('divisions');
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await waitFor(async () => (await divisions.rows(waiting)).length === 1, {
      description: 'the rebuild to wait',
    });
    await holder.query('commit');
    await expect(rebuilding).rejects.toMatchObject({ code: 'tenant_held' });
    await holder.end();
    const begun = `select from read_model.generations where projection = 'divisions' and generation > 1`;
    expect(await divisions.rows(begun)).toEqual([]);
  });
});
