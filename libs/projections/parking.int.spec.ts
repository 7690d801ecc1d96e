import { Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DatabaseError } from 'pg';
import { type Gauge, register } from 'prom-client';
import { HealthController } from '#platform/observability/health.controller';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { waitFor } from '../../test/support/wait-for';
import type { Projection } from './projection';
import { Divisions } from './testing/divisions';
import { expectExact } from './testing/expect-exact';

const POISON = 'Poison that is too long';

/** A projection that cannot apply events with the name POISON. */
function refusing(projection: Projection, failure = () => new Error('cannot apply this')): Projection {
  return {
    ...projection,
    async apply(client, generation, events) {
      await projection.apply(client, generation, events);
      if (events.some(({ event }) => (event.data as { name?: string }).name === POISON)) throw failure();
    },
  };
}

describe('an event that a projection cannot apply', () => {
  let divisions: Divisions;
  let errors: jest.SpyInstance;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    divisions = await Divisions.open(3, 5);
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  const tenant = (index: number) => divisions.contexts[index].tenant;
  const parked = () =>
    divisions.rows<{ projection: string; tenant: number; type: string; version: number; error: string }>(
      `select p.projection, p.tenant_id as tenant, e.type, e.version, p.error from read_model.parked p
       join event_store.events e using (event_id) where e.type = p.event_type order by 1, 2`,
    );
  const shown = (index: number) =>
    divisions.rows<{ name: string; version: number }>(
      `select d.name, d.version from read_model.divisions d where d.tenant_id = $1
         and d.generation = (select read_model.live_generation('divisions', $1)) order by d.name`,
      [tenant(index).id],
    );
  /** Describes the last event that a track has applied. */
  const standing = async (tenantId: number) => {
    const [row] = await divisions.rows<{ at: string }>(
      `select coalesce((select e.type || ' ' || (e.data->>'name') from event_store.events e
         where (e.epoch, e.transaction_id, e.position) = (c.epoch, c.transaction_id, c.position)), 'the start') as at
       from read_model.checkpoints c where projection = 'divisions' and tenant_id = $1`,
      [tenantId],
    );
    return row.at;
  };
  const parking = (count = 1) =>
    waitFor(async () => (await parked()).length === count, {
      description: `${count} read models of tenants to be parked`,
    });
  const settled = async (parts = divisions.parts()) =>
    waitFor(async () => (await parts.status.list()).every(({ lag }) => lag === 0), {
      description: 'no lag',
    });

  it.each<[string, string, () => Projection, (() => Promise<unknown>) | undefined]>([
    ['the code refuses it', 'cannot apply this', () => refusing(divisionsProjection), undefined],
    [
      'a column is too narrow for it',
      'value too long for type character varying(20)',
      () => divisionsProjection,
      () => divisions.rows('alter table read_model.divisions alter name type varchar(20)'),
    ],
    [
      'the program cannot decode it',
      'a newer program wrote it',
      () => divisionsProjection,
      () =>
        divisions.rows(`update event_store.events set schema_version = 9 where data->>'name' = '${POISON}'`),
    ],
    [
      'it lacks what a column must have',
      'violates not-null constraint',
      () => divisionsProjection,
      () =>
        divisions.rows(
          `update event_store.events set data = data || '{"name": null, "was": "${POISON}"}'
           where data->>'name' = '${POISON}'`,
        ),
    ],
  ])('parks its tenant alone when %s', async (_, reason, projection, breaking) => {
    const renames = await divisions.createMany(0, 9);
    await renames[1]('Before');
    await renames[4](POISON);
    await renames[7]('Elsewhere');
    await renames[2]('Other');
    await breaking?.();
    const parts = divisions.parts([projection(), divisions.tally]);
    parts.status.onModuleInit();
    parts.runner.start();
    await parking();
    await settled(parts);
    expect(await parked()).toEqual([
      {
        projection: 'divisions',
        tenant: tenant(1).id,
        type: 'DivisionUpdated',
        version: 2,
        error: expect.stringContaining(reason),
      },
    ]);
    expect(await standing(tenant(1).id)).toBe('DivisionUpdated Before');
    expect(await standing(0)).toBe('DivisionUpdated Other');
    expect(await shown(1)).toEqual([
      { name: 'Before', version: 2 },
      { name: 'Division 4', version: 1 },
      { name: 'Division 7', version: 1 },
    ]);
    expect((await shown(2)).map(({ name }) => name)).toEqual(['Division 5', 'Division 8', 'Other']);

    await Promise.all(renames.map((rename, number) => rename(`Renamed ${number}`)));
    await waitFor(async () => (await shown(2))[0].name === 'Renamed 2', {
      description: 'other tenants to go on',
    });
    await settled(parts);
    expect(await standing(tenant(1).id)).toBe('DivisionUpdated Before');
    const [{ count }] = await divisions.rows<{ count: number }>(
      `select sum(events)::int as count from read_model.tally`,
    );
    expect(count).toBe(9 + 4 + 9);

    expect(await parts.status.list()).toEqual([
      { name: 'divisions', version: 1, generation: 1, lag: 0, parked: [tenant(1).alias], held: [] },
      { name: 'tally', version: 1, generation: 1, lag: 0, parked: [], held: [] },
    ]);
    const gauge = await (register.getSingleMetric('projection_parked_tenants') as Gauge).get();
    expect(gauge.values.map(({ labels, value }) => [labels.projection, value])).toEqual([
      ['divisions', 1],
      ['tally', 0],
    ]);
    const status = jest.fn();
    const health = new HealthController(divisions.store.writes, divisions.store.reads, parts.health);
    const reply = { status, server: { drain: { isBegun: false } } } as unknown as FastifyReply;
    expect(await health.ready(reply)).toEqual({
      status: 'degraded',
      checks: { eventStore: 'ok', readModels: 'ok' },
      degraded: ['divisions: 1 parked'],
    });
    expect(status).not.toHaveBeenCalled();
    expect(errors.mock.calls.map(([line]) => line)).toEqual([
      expect.stringMatching(
        /^Projection divisions cannot apply event .*The tenant is parked: projections retry divisions$/,
      ),
    ]);
  });

  it('parks a tenant where it was when the event is its first in a batch', async () => {
    const parts = divisions.parts([refusing(divisionsProjection)]);
    const rename = await divisions.create(0);
    parts.runner.start();
    await waitFor(async () => (await shown(0)).length === 1, { description: 'the division to be shown' });
    await settled(parts);
    await rename(POISON);
    await parking();
    expect(await standing(tenant(0).id)).toBe('DivisionCreated Division 0');
  });

  it('parks every tenant of a batch that has such an event, in both projections', async () => {
    const renames = await divisions.createMany(0, 3);
    await Promise.all([renames[0](POISON), renames[2](POISON)]);
    const parts = divisions.parts([refusing(divisionsProjection), refusing(divisions.tally)]);
    parts.runner.start();
    await parking(4);
    await settled(parts);
    expect(await parts.status.list()).toMatchObject(
      ['divisions', 'tally'].map((name) => ({ name, parked: [tenant(0).alias, tenant(2).alias].sort() })),
    );
    await renames[1]('Goes on');
    await waitFor(async () => (await shown(1))[0].name === 'Goes on', {
      description: 'the third tenant to go on',
    });
    // The other read model progresses independently.
    await settled(parts);
    const counts = await divisions.rows(
      `select tenant_id as tenant, events from read_model.tally order by 1`,
    );
    expect(counts).toEqual(
      [0, 1, 2].map((index) => ({ tenant: tenant(index).id, events: index === 1 ? '2' : '1' })),
    );
  });

  it('parks a tenant that was rebuilt alone in its own generation', async () => {
    const parts = divisions.parts([refusing(divisionsProjection)]);
    parts.runner.start();
    const renames = await divisions.createMany(0, 6);
    await waitFor(async () => (await shown(1)).length === 2, { description: 'two divisions to be shown' });
    await parts.rebuild.rebuild('divisions', { tenant: tenant(1).alias });
    await renames[1]('Before');
    await renames[4](POISON);
    await parking();
    await Promise.all([renames[0]('Other'), renames[1]('Unseen')]);
    await waitFor(async () => (await shown(0)).some(({ name }) => name === 'Other'), {
      description: 'other tenants to go on',
    });
    await settled(parts);
    expect(await shown(1)).toEqual([
      { name: 'Before', version: 2 },
      { name: 'Division 4', version: 1 },
    ]);
    expect(await standing(tenant(1).id)).toBe('DivisionUpdated Before');
    expect(await parts.status.list()).toMatchObject([{ generation: 1, parked: [tenant(1).alias] }]);
  });

  it.each<[string, (projection: Projection, broken: () => boolean) => Projection['apply']]>([
    [
      'a full disk',
      (projection, broken) => async (client, generation, events) => {
        await projection.apply(client, generation, events);
        if (broken()) throw Object.assign(new DatabaseError('disk full', 0, 'error'), { code: '53100' });
      },
    ],
    [
      'a lost connection',
      (projection, broken) => async (client, generation, events) => {
        await projection.apply(client, generation, events);
        if (broken()) await client.query('select pg_terminate_backend(pg_backend_pid())');
      },
    ],
    [
      'a missing table',
      (projection, broken) => async (client, generation, events) => {
        if (broken()) await client.query('select from read_model.nothing');
        await projection.apply(client, generation, events);
      },
    ],
  ])('is not blamed for %s: nobody is parked', async (_, failing) => {
    let failures = 0;
    const broken = () => failures < 3 && ++failures > 0;
    const apply = failing(divisions.tally, broken);
    divisions.parts([divisionsProjection, { ...divisions.tally, apply }]).runner.start();
    await divisions.createMany(0, 12);
    await expectExact(divisions.store);
    expect(failures).toBe(3);
    expect(await divisions.rows('select from read_model.parked')).toEqual([]);
    expect(await divisions.rows('select distinct tenant_id from read_model.checkpoints')).toHaveLength(1);
  });
});
