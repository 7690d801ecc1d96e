import { Logger } from '@nestjs/common';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { waitFor } from '../../../test/support/wait-for';
import type { Projection } from '../projection';
import { Divisions } from '../testing/divisions';
import { expectExact } from '../testing/expect-exact';
import { lockFill, shareFill } from './rebuild-lock';

describe('a new tenant whose read models are filled', () => {
  let divisions: Divisions;
  let parts: ReturnType<Divisions['parts']>;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    jest.spyOn(Logger.prototype, 'error').mockImplementation();
    divisions = await Divisions.open(3, 5);
    parts = divisions.parts();
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  const tenant = () => parts.tenants.get(divisions.contexts[1].tenant.alias);
  const counted = async () => {
    const [{ sum }] = await divisions.rows<{ sum: string | null }>(
      'select sum(events) from read_model.tally where tenant_id = $1',
      [(await tenant()).id],
    );
    return Number(sum);
  };
  const rowsOf = (table: string) => divisions.rows(`select from read_model.${table} where tenant_id <> 0`);

  it('shows everything that was appended, and goes on with the other tenants in the same tables', async () => {
    parts.runner.start();
    await parts.held.holdNew(await tenant());
    const renames = await divisions.createMany(0, 6);
    await divisions.append(2_500);
    expect(await counted()).toBe(0);
    expect(await parts.held.newTenants()).toEqual([(await tenant()).id]);
    await parts.fill.show(await tenant());
    expect(await counted()).toBe(5_002);
    await Promise.all(renames.map((rename, number) => rename(`Once ${number}`)));
    await expectExact(divisions.store);
    // Reads of the new rows are not planned with the statistics from before.
    expect(await divisions.rows(`select from pg_stats where tablename = 'tally_g1'`)).not.toEqual([]);
    for (const table of ['held', 'checkpoints', 'live']) expect(await rowsOf(table)).toEqual([]);
    await parts.fill.show(await tenant());
  });

  it('is filled once, even when another process does so too or has ended in the middle of it', async () => {
    parts.runner.start();
    await parts.held.holdNew(await tenant());
    await divisions.append(2_500);
    const ended = new AbortController();
    const dying = parts.fill.show(await tenant(), ended.signal);
    await Promise.race([
      dying,
      waitFor(async () => (await counted()) > 0, { description: 'the first rows to be written' }),
    ]).catch(() => undefined);
    ended.abort(new Error('Ended'));
    await dying.catch(() => undefined);
    const another = divisions.parts();
    await Promise.all([parts.fill.show(await tenant()), another.fill.show(await tenant())]);
    await expectExact(divisions.store);
    expect(await rowsOf('held')).toEqual([]);
  });

  it('is filled by nobody else while a session is open whose process has lost the lock', async () => {
    const { id } = await tenant();
    const [first, lane, second] = await Promise.all([1, 2, 3].map(() => divisions.store.reads.session()));
    expect(await lockFill(first, id)).toBe(true);
    await shareFill(lane, id);
    await first.end();
    expect(await lockFill(second, id)).toBe(false);
    await lane.end();
    await waitFor(() => lockFill(second, id), { description: 'the lock to be free' });
    await second.end();
  });

  it('is shown only once a projector has gone past its events', async () => {
    await parts.held.holdNew(await tenant());
    await divisions.append(3);
    let isShown = false;
    const showing = tenant()
      .then((one) => parts.fill.show(one))
      .then(() => {
        isShown = true;
      });
    await waitFor(async () => (await counted()) === 6, { description: 'the rows to be written' });
    expect(isShown).toBe(false);
    expect(await rowsOf('held')).toHaveLength(2);
    parts.runner.start();
    await showing;
    await expectExact(divisions.store);
  });

  it('is parked in a read model that cannot apply an event, while its other read models show everything', async () => {
    const refuses = () => {
      throw new Error('cannot apply this');
    };
    const refusing: Projection = { ...divisionsProjection, apply: async () => refuses(), ofStream: refuses };
    parts = divisions.parts([refusing, divisions.tally]);
    await parts.held.holdNew(await tenant());
    await divisions.append(3);
    parts.runner.start();
    await parts.fill.show(await tenant());
    expect(
      await divisions.rows('select projection from read_model.parked where tenant_id = $1', [
        (await tenant()).id,
      ]),
    ).toEqual([{ projection: 'divisions' }]);
    expect(await counted()).toBe(6);
    expect(await rowsOf('held')).toEqual([]);
  });

  it('follows its events like other tenants when a read model is being rebuilt', async () => {
    await divisions.rows(
      `insert into read_model.generations (projection, generation, version, tenant_id, filled) values ('tally', 2, 1, 0, false)`,
    );
    await expect(parts.held.holdNew(await tenant())).rejects.toMatchObject({ code: 'rebuild_running' });
    parts.runner.start();
    await divisions.append(3);
    await parts.fill.show(await tenant());
    await expectExact(divisions.store);
    expect(await rowsOf('held')).toEqual([]);
  });
});
