import { Logger } from '@nestjs/common';
import { START } from '#event-store/position';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { waitFor } from '../../test/support/wait-for';
import { CheckpointMoved } from './checkpoints';
import { liveModel } from './live-models';
import { Parking } from './parking';
import type { Projection } from './projection';
import { Divisions } from './testing/divisions';
import { runnerByHand } from './testing/parts';

/** A projection that cannot apply any event of the given tenant. */
const refusing = (tenantId: number): Projection => ({
  ...divisionsProjection,
  async apply(client, generation, events) {
    await divisionsProjection.apply(client, generation, events);
    if (events.some((event) => event.tenantId === tenantId)) throw new Error('cannot apply this');
  },
});

describe('a runner that meets a poison event', () => {
  let divisions: Divisions;
  let projection: Projection;

  beforeEach(async () => {
    for (const level of ['log', 'error'] as const) jest.spyOn(Logger.prototype, level).mockImplementation();
    divisions = await Divisions.open(3, 5);
    projection = refusing(divisions.contexts[2].tenant.id);
    await divisions.createMany(0, 9);
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  const runner = () => runnerByHand(divisions.store, [projection]);
  const held = () =>
    divisions.rows(
      `select tenant_id as tenant, generation, count(*)::int as count from read_model.divisions
       group by 1, 2 order by 1`,
    );
  const rows = (index: number, generation = 1) => ({
    tenant: divisions.contexts[index].tenant.id,
    generation,
    count: 3,
  });
  const parked = () => divisions.rows('select tenant_id as tenant from read_model.parked');

  it('parks its tenant once when another runner has the same events in hand', async () => {
    const [one, two] = [runner(), runner()];
    const cursors = await one.cursors([5]);
    await two.cursors([5]);
    const events = (await divisions.store.feed.page(cursors, 1000)).events;
    expect(await Promise.all([one.handle(events), two.handle(events)])).toEqual([false, false]);
    expect(await parked()).toEqual([{ tenant: divisions.contexts[2].tenant.id }]);
    expect(await held()).toEqual([rows(0), rows(1)]);
    for (const runner of [one, two]) {
      const [cursor] = await runner.cursors([5]);
      expect((await divisions.store.feed.page([cursor], 1000)).events).toEqual([]);
    }
  });

  it('parks nobody, and writes nothing, when another tenant was rebuilt alone meanwhile', async () => {
    const late = runner();
    const cursors = await late.cursors([5]);
    const events = (await divisions.store.feed.page(cursors, 1000)).events;
    const { rebuild } = divisions.parts();
    await rebuild.rebuild('divisions', { tenant: divisions.contexts[1].tenant.alias });
    expect(await late.handle(events)).toBe(false);
    expect([await held(), await parked()]).toEqual([[rows(1, 2)], []]);

    await late.cursors([5]);
    expect(await late.handle(events)).toBe(false);
    await waitFor(async () => (await parked()).length === 1, {
      description: 'the third tenant to be parked',
    });
    expect(await held()).toEqual([rows(0), rows(1, 2)]);
  });

  it('parks nobody when another tenant was rebuilt alone just before the parking', async () => {
    const { reads, feed } = divisions.store;
    const { main, revision } = await liveModel(reads.pool, 'divisions');
    const events = (await feed.page([{ partition: 5, after: START }], 1000)).events;
    const { rebuild } = divisions.parts();
    await rebuild.rebuild('divisions', { tenant: divisions.contexts[1].tenant.alias });
    const batch = { projection, track: main, revision, events, relevant: events };
    await expect(new Parking(reads).isolate(batch)).rejects.toThrow(CheckpointMoved);
    expect([await held(), await parked()]).toEqual([[rows(1, 2)], []]);
  });
});
