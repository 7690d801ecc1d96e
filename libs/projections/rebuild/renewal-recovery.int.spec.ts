import { Logger } from '@nestjs/common';
import { History } from '#event-store/history';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { waitFor } from '../../../test/support/wait-for';
import type { Projection } from '../projection';
import { Divisions } from '../testing/divisions';
import { expectExact } from '../testing/expect-exact';
import { Renewals } from '../testing/renewals';
import { dropGeneration } from './generation-tables';
import { unfinishedOf } from './generations';
import type { RebuildProgress } from './rebuild-run';

/** More events than are read at once. */
const MANY = 2_500;

describe('a renewal that is interrupted', () => {
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

  const cut = (sessions: string) =>
    divisions.store.writes.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like $1 and pid <> pg_backend_pid()`,
      [sessions],
    );
  const waiting = () =>
    waitFor(
      async () =>
        (
          await divisions.rows(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
               and query like '%order by projection for update%'`,
          )
        ).length === 1,
      { description: 'the renewal to wait for the tracks' },
    );

  it('is continued wherever it was stopped', async () => {
    parts.runner.start();
    const one = await renewals.tenant(1);
    const stops: string[] = [];
    for (let step = 1, stopped = true; stopped; step++) {
      await divisions.createMany(0, 3);
      await expectExact(divisions.store);
      const before = await renewals.seen(1);
      await parts.held.hold(one);
      await divisions.append(20);
      const stopping = new AbortController();
      let steps = 0;
      const renewing = divisions.parts().renewal.renew(one, {
        signal: stopping.signal,
        progress({ phase }) {
          if (++steps !== step) return;
          stops.push(phase);
          stopping.abort(new Error('the process ends'));
        },
      });
      if (
        await renewing.then(
          () => false,
          ({ message }) => message === 'the process ends',
        )
      ) {
        expect(await renewals.seen(1)).toBe(before);
        // Projectors look for rebuilds that others have left behind.
        for (const name of parts.rebuild.names) expect(await parts.rebuild.resume(name)).toBeUndefined();
        expect(await renewals.seen(1)).toBe(before);
        await divisions.parts().renewal.renew(one);
      } else stopped = false;
      await parts.held.release(one);
      await divisions.createMany(0, 3);
      await expectExact(divisions.store);
      await renewals.expectSound(1);
    }
    expect(stops).toEqual(['filling', 'filling', 'indexing', 'indexing', 'catching up']);
    expect(await divisions.rows('select from read_model.held')).toEqual([]);
    await parts.renewal.sweep();
    const { rows } = await divisions.store.reads.pool.query(
      `select from read_model.generations g where projection in ('divisions', 'tally') and not exists
         (select from read_model.live l where (l.projection, l.generation) = (g.projection, g.generation))`,
    );
    expect(rows).toEqual([]);
    expect(errors).not.toHaveBeenCalled();
  });

  it('continues the read models of which something is left, and begins the others', async () => {
    await divisions.append(MANY);
    const one = await renewals.tenant(1);
    await parts.held.hold(one);
    const stopping = new AbortController();
    const renewing = parts.renewal.renew(one, {
      signal: stopping.signal,
      progress({ events }) {
        if (events > 0) stopping.abort(new Error('the process ends'));
      },
    });
    await expect(renewing).rejects.toThrow('the process ends');
    const client = await divisions.store.reads.session();
    const [left, dropped] = [
      await unfinishedOf(client, divisionsProjection),
      await unfinishedOf(client, divisions.tally),
    ];
    expect(left?.events).toBeGreaterThan(0);
    expect(left?.events).toBeLessThan(2 * MANY);
    await dropGeneration(client, divisions.tally, dropped!.generation);
    await client.end();
    // The unfinished generation was begun before these events.
    await divisions.append(10);

    const streams = jest.spyOn(History.prototype, 'streams');
    const told: RebuildProgress[] = [];
    await divisions.parts().renewal.renew(one, { progress: (progress) => told.push(progress) });
    expect(streams).toHaveBeenCalledTimes(2);
    expect(told[0].events).toBe(left?.events);
    expect(told.at(-1)).toEqual({ phase: 'catching up', events: 4 * MANY + 20, total: 4 * (MANY + 10) });
    expect(await renewals.seen(1)).toBe(`${MANY + 10}/${2 * (MANY + 10)}`);
    const { id } = one;
    expect(await renewals.generations()).toContainEqual({
      projection: 'divisions',
      tenant: id,
      generation: left?.generation,
    });
    await renewals.expectSound(1);
  });

  it.each(['practice-management-read-session', 'practice-management-read%'])(
    'shows all or nothing when %s ends at the moment of going live',
    async (sessions) => {
      await divisions.append(20);
      parts.runner.start();
      await expectExact(divisions.store);
      const one = await renewals.tenant(1);
      await parts.held.hold(one);
      await divisions.append(20);
      await waitFor(async () => (await renewals.seen(0)) === '40/80', {
        description: 'another tenant to show all',
      });
      await parts.runner.stop();
      const holder = await divisions.store.writes.session();
      await holder.query(
        `begin; select from read_model.live where projection = 'tally' and tenant_id = 0 for update`,
      );
      const renewing = parts.renewal.renew(one);
      await waiting();
      await cut(sessions);
      await holder.end();
      // The pool may still contain connections that have ended.
      const found = await waitFor(() => renewals.seen(1).catch(() => undefined), {
        description: 'a connection that works',
      });
      expect(found).toMatch(/^(20\/40|40\/80)$/);
      await renewing;
      expect(await renewals.seen(1)).toBe('40/80');
      const shown = await renewals.generations();
      await divisions.parts().renewal.renew(one);
      expect(await renewals.generations()).toEqual(shown);
      await parts.held.release(one);
      parts.runner.start();
      await expectExact(divisions.store);
    },
  );

  it('shows nothing while an event cannot be folded, and all once it can', async () => {
    parts.runner.start();
    await divisions.createMany(0, 3);
    await expectExact(divisions.store);
    const one = await renewals.tenant(1);
    await parts.held.hold(one);
    await divisions.append(20);
    const broken: Projection = {
      ...divisions.tally,
      ofStream() {
        throw new Error('cannot fold this');
      },
    };
    const { renewal } = divisions.parts([divisionsProjection, broken]);
    await expect(renewal.renew(one)).rejects.toThrow('cannot fold this');
    expect(await renewals.seen(1)).toBe('1/1');
    await parts.renewal.renew(one);
    expect(await renewals.seen(1)).toBe('21/41');
    await parts.held.release(one);
    await expectExact(divisions.store);
  });
});
