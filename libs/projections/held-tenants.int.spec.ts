import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { type Gauge, register } from 'prom-client';
import { START } from '#event-store/position';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { waitFor } from '../../test/support/wait-for';
import type { Projection } from './projection';
import { Divisions } from './testing/divisions';
import { expectExact } from './testing/expect-exact';
import { runnerByHand } from './testing/parts';

const POISON = 'Poison';

/** A projection that cannot apply events with the name POISON. */
const refusing: Projection = {
  ...divisionsProjection,
  async apply(client, generation, events) {
    await divisionsProjection.apply(client, generation, events);
    if (events.some(({ event }) => (event.data as { name?: string }).name === POISON))
      throw new Error('cannot apply this');
  },
};

describe('a tenant whose read models are held', () => {
  let divisions: Divisions;
  let parts: ReturnType<Divisions['parts']>;
  let errors: jest.SpyInstance;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    divisions = await Divisions.open(3, 5);
    parts = divisions.parts();
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  const tenant = (index: number) => parts.tenants.get(divisions.contexts[index].tenant.alias);
  const alias = (index: number) => divisions.contexts[index].tenant.alias;
  const shown = async (index: number) => {
    const rows = await divisions.rows<{ name: string }>(
      `select d.name from read_model.divisions d where d.tenant_id = $1
         and d.generation = (select read_model.live_generation('divisions', $1)) order by d.name`,
      [divisions.contexts[index].tenant.id],
    );
    return rows.map(({ name }) => name);
  };
  const counted = async (index: number) => {
    const [{ sum }] = await divisions.rows<{ sum: string | null }>(
      'select sum(events) from read_model.tally where tenant_id = $1',
      [divisions.contexts[index].tenant.id],
    );
    return Number(sum);
  };
  const settled = async () => {
    await divisions.visible();
    await waitFor(async () => (await parts.status.list()).every(({ lag }) => lag === 0), {
      description: 'no lag',
    });
  };

  it('catches up on long events a few at a time', async () => {
    const { tally } = divisions;
    const batches: number[] = [];
    const measured: Projection = {
      ...tally,
      apply(client, generation, events) {
        batches.push(JSON.stringify(events.map(({ event }) => event.data)).length);
        return tally.apply(client, generation, events);
      },
    };
    parts = divisions.parts([measured]);
    jest.spyOn(parts.positions, 'reach').mockResolvedValue();
    await parts.held.hold(await tenant(1));
    await divisions.append(80, () => randomBytes(180_000).toString('base64'));
    parts.runner.start();
    await settled();
    batches.length = 0;
    await parts.held.release(await tenant(1));
    expect(await counted(1)).toBe(160);
    expect(batches.length).toBeGreaterThan(1);
    expect(Math.max(...batches)).toBeLessThan(20_000_000);
  });

  it('is left alone by every runner, including those that start later, while other tenants go on', async () => {
    parts.runner.start();
    const renames = await divisions.createMany(0, 6);
    await parts.held.hold(await tenant(1));
    expect([await shown(1), await counted(1)]).toEqual([['Division 1', 'Division 4'], 2]);

    const rename = async (name: string) => {
      await Promise.all(renames.map((one, number) => one(`${name} ${number}`)));
      await settled();
    };
    await rename('Once');
    expect(await shown(0)).toEqual(['Once 0', 'Once 3']);
    await parts.runner.stop();
    divisions.parts().runner.start();
    await rename('Twice');
    expect(await shown(0)).toEqual(['Twice 0', 'Twice 3']);
    expect([await shown(1), await counted(1)]).toEqual([['Division 1', 'Division 4'], 2]);

    await parts.held.release(await tenant(1));
    await rename('Thrice');
    expect(await shown(1)).toEqual(['Thrice 1', 'Thrice 4']);
    await expectExact(divisions.store);
    const apart = 'select from read_model.checkpoints where tenant_id <> 0';
    expect(await divisions.rows(apart)).toEqual([]);
    expect(errors).not.toHaveBeenCalled();
  });

  it('shows what was written before it was held, as far as the runners come within 15 s', async () => {
    await divisions.createMany(0, 6);
    parts.runner.start();
    await parts.held.hold(await tenant(1));
    expect([await shown(1), await counted(1)]).toEqual([['Division 1', 'Division 4'], 2]);
  });

  it('shows what was written before it was held even when an open transaction holds the feed back', async () => {
    const holder = await divisions.store.writes.session();
    await holder.query('begin; select pg_current_xact_id()');
    await Promise.all([0, 1, 2].map((number) => divisions.create(number)));
    parts.runner.start();
    const reach = jest.spyOn(parts.positions, 'reach');
    const holding = parts.held.hold(await tenant(1));
    await waitFor(() => reach.mock.calls.length > 0, {
      description: 'the holding to wait for the read models',
    });
    expect(await shown(1)).toEqual([]);
    await holder.end();
    await holding;
    expect([await shown(1), await counted(1)]).toEqual([['Division 1'], 1]);
  });

  it('is reported as held, and not as a failure', async () => {
    parts.status.onModuleInit();
    parts.runner.start();
    await divisions.createMany(0, 6);
    await parts.held.hold(await tenant(1));
    await parts.held.hold(await tenant(1));
    await divisions.createMany(6, 12);
    await settled();
    expect(await parts.status.list()).toEqual(
      ['divisions', 'tally'].map((name) => ({
        name,
        version: 1,
        generation: 1,
        lag: 0,
        parked: [],
        held: [alias(1)],
      })),
    );
    expect(await parts.health.degraded()).toEqual([]);
    const metric = async (name: string) =>
      (await (register.getSingleMetric(name) as Gauge).get()).values.map(({ value }) => value);
    expect(await metric('projection_parked_tenants')).toEqual([0, 0]);
    expect(await metric('projection_held_tenants')).toEqual([1, 1]);
  });

  it('gets nothing of a batch that was read before it was held and is applied afterwards', async () => {
    await divisions.createMany(0, 6);
    const { feed } = divisions.store;
    const runner = runnerByHand(divisions.store, divisions.projections);
    const cursors = await runner.cursors([5]);
    const events = (await feed.page(cursors, 1000)).events;
    jest.spyOn(parts.positions, 'reach').mockResolvedValue();
    await parts.held.hold(await tenant(1));
    expect(await runner.handle(events)).toBe(false);
    expect([await shown(0), await shown(1)]).toEqual([[], []]);
    await runner.cursors([5]);
    expect(await runner.handle(events)).toBe(true);
    expect([await shown(0), await shown(1), await counted(1)]).toEqual([['Division 0', 'Division 3'], [], 0]);
    await parts.held.release(await tenant(1));
    expect([await shown(1), await counted(1)]).toEqual([['Division 1', 'Division 4'], 2]);
  });

  it('is read without its data while it is held, and what was read so is not applied once it is released', async () => {
    const { feed } = divisions.store;
    const runner = runnerByHand(divisions.store, divisions.projections);
    jest.spyOn(parts.positions, 'reach').mockResolvedValue();
    await parts.held.hold(await tenant(1));
    await divisions.createMany(0, 6);
    const read = async () => (await feed.page(await runner.cursors([5]), 1000, runner.passesOver!())).events;
    const events = await read();
    const { id } = await tenant(1);
    for (const { tenantId, event } of events) expect('name' in event.data).toBe(tenantId !== id);
    await parts.held.release(await tenant(1));
    expect(await runner.handle(events)).toBe(false);
    expect([await shown(0), await shown(1)]).toEqual([[], []]);
    expect(await runner.handle(await read())).toBe(true);
    expect([await shown(0), await shown(1), await counted(1)]).toEqual([
      ['Division 0', 'Division 3'],
      ['Division 1', 'Division 4'],
      2,
    ]);
  });

  it('is held only once a batch in hand has been applied', async () => {
    let apply: () => void = () => undefined;
    const applying = new Promise<void>((resolve) => {
      apply = resolve;
    });
    let begun = false;
    const slow: Projection = {
      ...divisionsProjection,
      async apply(client, generation, events) {
        begun = true;
        await applying;
        await divisionsProjection.apply(client, generation, events);
      },
    };
    await divisions.createMany(0, 6);
    const { runner } = divisions.parts([slow, divisions.tally]);
    runner.start();
    await waitFor(() => begun, { description: 'a batch in hand' });
    jest.spyOn(parts.positions, 'reach').mockResolvedValue();
    let held = false;
    const holding = parts.held.hold(await tenant(1)).then(() => {
      held = true;
    });
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await waitFor(async () => (await divisions.rows(waiting)).length === 1, {
      description: 'the holding to wait',
    });
    expect(held).toBe(false);
    apply();
    await holding;
    expect(await shown(1)).toEqual(['Division 1', 'Division 4']);
    await settled();
    await parts.held.release(await tenant(1));
    await expectExact(divisions.store);
  });

  it('is not retried when it was parked before; once released, it goes on or is parked again', async () => {
    const renames = await divisions.createMany(0, 6);
    await renames[1](POISON);
    const poisoned = divisions.parts([refusing, divisions.tally]);
    poisoned.runner.start();
    const parked = () => divisions.rows('select tenant_id as tenant, error from read_model.parked');
    await waitFor(async () => (await parked()).length === 1, { description: 'the tenant to be parked' });
    jest.spyOn(poisoned.positions, 'reach').mockResolvedValue();
    const one = await tenant(1);
    await poisoned.held.hold(one);
    await expect(poisoned.parked.retry('divisions', alias(1))).rejects.toMatchObject({ code: 'tenant_held' });
    expect(await poisoned.parked.retry('divisions')).toEqual([]);
    expect(await poisoned.parked.retry('divisions', alias(0))).toEqual([]);
    expect(await poisoned.status.list()).toMatchObject([
      { name: 'divisions', parked: [], held: [alias(1)] },
      { name: 'tally', parked: [], held: [alias(1)] },
    ]);

    await poisoned.held.release(one);
    expect(await parked()).toEqual([{ tenant: one.id, error: 'cannot apply this' }]);
    expect(await divisions.rows('select from read_model.held')).toEqual([]);
    await poisoned.held.hold(one);
    await poisoned.runner.stop();
    await parts.held.release(one);
    expect(await parked()).toEqual([]);
    parts.runner.start();
    await expectExact(divisions.store);
  });

  it('does not let reads wait for what it will not show, but tells them to come back', async () => {
    parts.runner.start();
    const renames = await divisions.createMany(0, 6);
    const position = async () => (await divisions.store.feed.heads()).get(5) ?? START;
    await parts.held.hold(await tenant(1));
    const before = await position();
    await parts.positions.reach(await tenant(1), before, 'this');
    await renames[1]('Unseen');
    await divisions.visible();
    // A tenant that is not held would make the call, and with it the test, wait for this long.
    const hour = 3_600_000;
    await expect(
      parts.positions.reach(await tenant(1), await position(), 'this', hour),
    ).rejects.toMatchObject({
      fault: 'unavailable',
      code: 'position_not_reached',
      headers: { 'Retry-After': '30' },
    });
    await parts.positions.reach(await tenant(0), await position(), 'this');
  });
});
