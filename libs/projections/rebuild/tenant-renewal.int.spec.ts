import { Logger } from '@nestjs/common';
import { waitFor } from '../../../test/support/wait-for';
import { Divisions } from '../testing/divisions';
import { expectExact } from '../testing/expect-exact';
import { Renewals } from '../testing/renewals';

const MANY = 2_500;

describe('renewing the read models of a held tenant', () => {
  let divisions: Divisions;
  let renewals: Renewals;
  let parts: Renewals['parts'];
  let errors: jest.SpyInstance;

  beforeEach(async () => {
    for (const level of ['log', 'warn'] as const) jest.spyOn(Logger.prototype, level).mockImplementation();
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    divisions = await Divisions.open(3, 5);
    renewals = new Renewals(divisions);
    parts = renewals.parts;
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  /** Rows of the divisions' tables, whether or not any reader sees them. */
  const kept = () =>
    divisions.rows<{ generation: number; tenant: number; count: number }>(
      `select generation, tenant_id as tenant, count(*)::int as count from read_model.divisions
       group by 1, 2 order by 1, 2`,
    );
  it('shows everything at one moment, and then what is written later exactly once', async () => {
    parts.runner.start();
    const renames = await divisions.createMany(0, 6);
    const one = await renewals.tenant(1);
    await parts.held.hold(one);
    const found = new Set<string>();
    let reading = true;
    const reader = (async () => {
      for (let isLast = false; !isLast; ) {
        isLast = !reading;
        found.add(await renewals.seen(1));
      }
    })();

    await divisions.append(MANY);
    await waitFor(async () => (await renewals.seen(0)) === `${MANY + 2}/${2 * MANY + 2}`, {
      description: 'another tenant of its partition to show all',
    });
    let written = 0;
    const other = (async () => {
      for (; reading; written++) await renames[0](`Goes on ${written}`);
    })();
    await parts.renewal.renew(one);
    expect(await renewals.seen(1)).toBe(`${MANY + 2}/${2 * MANY + 2}`);
    reading = false;
    await Promise.all([reader, other]);
    expect([...found]).toEqual(['2/2', `${MANY + 2}/${2 * MANY + 2}`]);
    expect(written).toBeGreaterThan(0);
    await waitFor(async () => (await renewals.seen(0)) === `${MANY + 2}/${2 * MANY + 2 + written}`, {
      description: 'the other tenant to have gone on meanwhile',
    });

    await renames[1]('Not yet');
    await divisions.visible();
    await parts.held.release(one);
    await parts.renewal.sweep();
    await Promise.all(renames.map((rename) => rename('Later')));
    await expectExact(divisions.store);
    await renewals.expectSound(1);
    const [zero, two] = [await renewals.tenant(0), await renewals.tenant(2)];
    expect(await kept()).toEqual([
      { generation: 1, tenant: zero.id, count: MANY + 2 },
      { generation: 1, tenant: two.id, count: MANY + 2 },
      { generation: 2, tenant: one.id, count: MANY + 2 },
    ]);
    expect(errors).not.toHaveBeenCalled();

    for (const { name } of divisions.projections) await parts.rebuild.rebuild(name);
    await Promise.all(renames.map((rename) => rename('Together')));
    await expectExact(divisions.store);
    expect(await renewals.generations()).toEqual(
      ['divisions', 'tally'].map((projection) => ({ projection, tenant: 0, generation: 3 })),
    );
  });

  it('waits until the feed delivers what was appended', async () => {
    parts.runner.start();
    await divisions.createMany(0, 3);
    await expectExact(divisions.store);
    const one = await renewals.tenant(1);
    await parts.held.hold(one);
    const holder = await divisions.store.writes.session();
    await holder.query('begin; select pg_current_xact_id()');
    await Promise.all([3, 4, 5].map((number) => divisions.create(number)));
    const heads = jest.spyOn(divisions.store.feed, 'heads');
    const progress = jest.fn();
    const renewing = parts.renewal.renew(one, { progress });
    await waitFor(() => heads.mock.calls.length > 2, {
      description: 'the renewal to look for the events again',
    });
    expect(progress).not.toHaveBeenCalled();
    await holder.end();
    await renewing;
    expect(await renewals.seen(1)).toBe('2/2');
    await parts.held.release(one);
    await expectExact(divisions.store);
  });

  it('takes several tenants one after the other, including parked ones', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await expectExact(divisions.store);
    const chosen = [await renewals.tenant(0), await renewals.tenant(2)];
    await divisions.rows(
      `insert into read_model.parked (projection, tenant_id, event_id, event_type, error)
       values ('divisions', $1, gen_random_uuid(), 'DivisionCreated', 'for a test')`,
      [chosen[1].id],
    );
    await divisions.rows(
      `insert into read_model.checkpoints (projection, generation, partition, tenant_id, epoch, transaction_id, position)
       select projection, generation, partition, $1, epoch, transaction_id, position from read_model.checkpoints
       where projection = 'divisions' and partition = 5 and tenant_id = 0`,
      [chosen[1].id],
    );
    await divisions.rows(`update read_model.live set revision = revision + 1 where projection = 'divisions'`);
    for (const one of chosen) await parts.held.hold(one);
    await divisions.append(20);
    await Promise.all(chosen.map((one) => divisions.parts().renewal.renew(one)));
    expect(await Promise.all([renewals.seen(0), renewals.seen(2)])).toEqual(['22/42', '22/42']);
    expect(await divisions.rows('select from read_model.parked')).toEqual([]);
    for (const one of chosen) await parts.held.release(one);
    await divisions.createMany(6, 12);
    await expectExact(divisions.store);
  });

  it('is refused unless the tenant is held in every read model, and keeps the rows of one without new events', async () => {
    parts.runner.start();
    await divisions.createMany(0, 3);
    await expectExact(divisions.store);
    const one = await renewals.tenant(1);
    await expect(parts.renewal.renew(one)).rejects.toMatchObject({ code: 'tenant_not_held' });
    await parts.held.hold(one);
    await divisions.rows(`delete from read_model.held where projection = 'tally'`);
    await expect(parts.renewal.renew(one)).rejects.toMatchObject({ code: 'tenant_not_held' });
    await parts.held.hold(one);
    await parts.renewal.renew(one);
    expect(await renewals.generations()).toHaveLength(2);
    await parts.held.release(one);
    await divisions.createMany(3, 6);
    await expectExact(divisions.store);
  });
});
