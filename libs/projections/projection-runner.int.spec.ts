import { Logger } from '@nestjs/common';
import { DatabaseError } from 'pg';
import { StoreEventBus } from '#event-bus/store-event-bus';
import { Door } from '#event-bus/testing/door';
import type { RecordedEvent } from '#event-store/events';
import type { Cursor } from '#event-store/feed';
import { START } from '#event-store/position';
import { Health } from '#platform/observability/health';
import type { RequestContext } from '#platform/request-context';
import { Division } from '#practice/divisions/division';
import {
  CreateDivision,
  CreateDivisionHandler,
  UpdateDivision,
  UpdateDivisionHandler,
} from '#practice/divisions/division.commands';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { createContext, createTestStore, type TestStore } from '../../test/support/store';
import { waitFor } from '../../test/support/wait-for';
import { CatchUp } from './catch-up';
import type { Projection } from './projection';
import { Projections } from './projections';
import { expectExact } from './testing/expect-exact';
import { projectionParts, runnerByHand, runnerOver } from './testing/parts';
import { createTally, tally } from './testing/tally';

/** An error that the events did not cause. */
const diskFull = () => Object.assign(new DatabaseError('disk full', 0, 'error'), { code: '53100' });

const OWNED = `select from pg_locks where locktype = 'advisory' and granted
  and database = (select oid from pg_database where datname = current_database())`;

const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

describe('the projection runner', () => {
  let store: TestStore;
  let contexts: RequestContext[];
  let counting: Projection;
  let buses: StoreEventBus[];
  let door: Door;
  let errors: jest.SpyInstance;
  let lines: jest.SpyInstance;

  beforeEach(async () => {
    store = await createTestStore([Division]);
    await createTally(store.reads.pool);
    contexts = await Promise.all([1, 2, 3].map(() => createContext(store)));
    counting = tally(divisionsProjection.eventTypes);
    buses = [];
    door = new Door();
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    lines = jest.spyOn(Logger.prototype, 'log').mockImplementation();
  });
  afterEach(async () => {
    door.open();
    await Promise.all(buses.map((bus) => bus.onApplicationShutdown()));
    await store.close();
    jest.restoreAllMocks();
  });

  function start(...projections: Projection[]): void {
    const bus = new StoreEventBus(store.config, store.feed, new Health());
    buses.push(bus);
    runnerOver(store, new Projections(projections), bus).start();
  }
  const startByHand = (...projections: Projection[]) => runnerByHand(store, projections);

  const create = async (number: number) => {
    const context = contexts[number % contexts.length];
    const command = new CreateDivision(context, { name: `Division ${number}` });
    const { record } = await new CreateDivisionHandler(store.store).execute(command);
    return (name: string) =>
      new UpdateDivisionHandler(store.store).execute(new UpdateDivision(context, record.id, { name }));
  };
  const createMany = (from: number, to: number) =>
    Promise.all(Array.from({ length: to - from }, (_, index) => create(from + index)));

  async function rows<Row extends object>(sql: string): Promise<Row[]> {
    return (await store.reads.pool.query<Row>(sql)).rows;
  }
  const partitions = () => store.feed.partitions();
  /** The events that a subscriber is handed: everything after its cursors. */
  async function unread(cursors: Cursor[], count: number): Promise<RecordedEvent[]> {
    let events: RecordedEvent[] = [];
    await waitFor(async () => (events = (await store.feed.page(cursors, 1000)).events).length === count, {
      description: `${count} events in the feed`,
    });
    return events;
  }

  const someoneWaiting = () =>
    waitFor(async () => (await rows(WAITING)).length > 0, { description: 'a session to wait for a lock' });

  it('writes rows and checkpoint in one transaction, and goes on where it was after failures', async () => {
    let broken = true;
    let failures = 0;
    const failing: Projection = {
      ...counting,
      async apply(client, generation, events) {
        await counting.apply(client, generation, events);
        if (!broken) return;
        failures++;
        throw diskFull();
      },
    };
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    start(divisionsProjection, failing);
    const renames = await createMany(0, 20);
    await waitFor(() => failures >= 2, { description: 'two failures' });
    expect(warnings.mock.calls[0]).toEqual(['projections: Projection tally: disk full']);
    expect(errors).not.toHaveBeenCalled();
    expect(await rows('select from read_model.tally')).toEqual([]);
    expect(await rows(`select from read_model.checkpoints where projection = 'tally'`)).toEqual([]);
    await waitFor(async () => (await rows('select from read_model.divisions')).length === 20, {
      description: 'the other projection to go on all the same',
    });

    await Promise.all(renames.map((rename, index) => rename(`Renamed ${index}`)));
    broken = false;
    await expectExact(store);
  });

  it('commits without waiting for the disk, unlike a rebuild, which reports that it is done', async () => {
    const settings: string[] = [];
    const asked: Projection = {
      ...counting,
      async apply(client, generation, events) {
        const { rows: shown } = await client.query<{ synchronous_commit: string }>('show synchronous_commit');
        settings.push(...shown.map((row) => row.synchronous_commit));
        await counting.apply(client, generation, events);
      },
    };
    const runner = startByHand(asked);
    await create(0);
    await runner.handle(await unread(await runner.cursors(await partitions()), 1));
    expect(settings).toEqual(['off']);
    expect(await rows('show synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);

    const reached = new Map((await partitions()).map((partition) => [partition, START]));
    const track = { projection: asked.name, generation: 2, tenantId: 0, reached };
    await rows('create table read_model.tally_g2 partition of read_model.tally for values in (2)');
    await new CatchUp(store.feed, store.reads).run(asked, track, async () => undefined);
    expect(settings).toEqual(['off', 'on']);
  });

  it('catches up without trying again and again when what completes it fails', async () => {
    await create(0);
    await unread(
      (await partitions()).map((partition) => ({ partition, after: START })),
      1,
    );
    const reached = new Map((await partitions()).map((partition) => [partition, START]));
    const track = { projection: counting.name, generation: 2, tenantId: 0, reached };
    await rows('create table read_model.tally_g2 partition of read_model.tally for values in (2)');
    let attempts = 0;
    const complete = async () => {
      if (++attempts < 10) throw new Error('cannot complete this');
    };
    const catchingUp = new CatchUp(store.feed, store.reads).run(counting, track, complete);
    await expect(catchingUp).rejects.toThrow('cannot complete this');
    expect(attempts).toBe(1);
  });

  it('builds again what a crash of the read models’ server lost, even when no event comes', async () => {
    start(divisionsProjection, counting);
    await createMany(0, 6);
    await expectExact(store);
    await rows(`
      with rows as (delete from read_model.tally), others as (delete from read_model.divisions)
      delete from read_model.checkpoints`);
    await expectExact(store);
  });

  it('commits nothing when another has applied the same events before it began', async () => {
    const late = jest.spyOn(counting, 'apply');
    const [one, two] = [startByHand(tally(counting.eventTypes)), startByHand(counting)];
    await createMany(0, 10);
    const cursors = await one.cursors(await partitions());
    await two.cursors(await partitions());
    const events = await unread(cursors, 10);
    expect(await one.handle(events)).toBe(true);
    expect(await two.handle(events)).toBe(false);
    expect(late).not.toHaveBeenCalled();
    expect(lines).toHaveBeenLastCalledWith(expect.stringMatching(/^The checkpoint of tally was moved/));

    await create(10);
    expect(await two.handle(await unread(await two.cursors(await partitions()), 1))).toBe(true);
    const counts = await rows<{ events: string }>('select events from read_model.tally');
    expect(counts.map(({ events: count }) => count)).toEqual(Array(11).fill('1'));
    expect(errors).not.toHaveBeenCalled();
  });

  it.each([
    ['commits', true, [true, false]],
    ['fails', false, [undefined, true]],
  ])(
    'lets only one of two with the same events in hand commit: the first %s',
    async (_, commits, outcomes) => {
      const door = new Door();
      const first: Projection = {
        ...counting,
        async apply(client, generation, events) {
          await counting.apply(client, generation, events);
          await door.pass();
          if (!commits) throw diskFull();
        },
      };
      const [one, two] = [startByHand(first), startByHand(counting)];
      await createMany(0, 10);
      const events = await unread(await one.cursors(await partitions()), 10);
      await two.cursors(await partitions());
      const handling = [one.handle(events)];
      await waitFor(() => door.reached, { description: 'the first runner to have written' });
      handling.push(two.handle(events));
      await someoneWaiting();
      door.open();
      const results = await Promise.allSettled(handling);
      expect(results.map((result) => (result.status === 'fulfilled' ? result.value : undefined))).toEqual(
        outcomes,
      );
      const counts = await rows<{ events: string }>('select events from read_model.tally');
      expect(counts.map(({ events: count }) => count)).toEqual(Array(10).fill('1'));
    },
  );

  it('applies each of 300 concurrent writes once, with two runners that keep losing their partitions', async () => {
    start(divisionsProjection, counting);
    start(divisionsProjection, counting);
    let writing = true;
    const disturbing = waitFor(
      async () => {
        await rows(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name like 'practice projections locks %'`,
        );
        return !writing;
      },
      { description: 'the writes to end' },
    );
    const renames = await createMany(0, 60);
    await Promise.all(
      renames.flatMap((rename, index) => [1, 2, 3, 4].map((round) => rename(`Division ${index}.${round}`))),
    );
    writing = false;
    await disturbing;
    await expectExact(store);
    const [{ count }] = await rows<{ count: number }>('select count(*)::int from event_store.events');
    expect(count).toBe(300);
  });

  it('goes on in the new generation after each rebuild, without errors', async () => {
    start(divisionsProjection, counting);
    const rebuild = projectionParts(store, [divisionsProjection, counting]).rebuild;
    const names = ['divisions', 'tally', 'divisions', 'tally'];
    for (const [round, name] of names.entries()) {
      const writing = createMany(round * 30, round * 30 + 30);
      await rebuild.rebuild(name);
      await Promise.all((await writing).map((rename) => rename('Renamed')));
    }
    await expectExact(store);
    expect(await rows('select distinct generation from read_model.checkpoints')).toEqual([{ generation: 3 }]);
    expect(lines.mock.calls.map(([line]) => line)).toContainEqual(
      expect.stringMatching(/going on from there$/),
    );
    expect(errors).not.toHaveBeenCalled();
  });

  it('lets a rebuild replace a generation only between its transactions', async () => {
    const slow: Projection = {
      ...counting,
      async apply(client, generation, events) {
        await door.pass();
        await counting.apply(client, generation, events);
      },
    };
    start(slow, divisionsProjection);
    await createMany(0, 10);
    await waitFor(() => door.reached, { description: 'the runner to be about to write' });
    const rebuilding = projectionParts(store, [counting]).rebuild.rebuild('tally');
    await someoneWaiting();
    door.open();
    expect(await rebuilding).toMatchObject({ generation: 2 });
    await createMany(10, 20);
    await expectExact(store);
    expect(errors).not.toHaveBeenCalled();
  });

  it('does not stay in a generation that was replaced while it had nothing to do', async () => {
    start({ ...counting, eventTypes: new Set() });
    await waitFor(async () => (await rows(OWNED)).length === 12, {
      description: 'the runner to own its partitions',
    });
    await projectionParts(store, [counting]).rebuild.rebuild('tally');
    await create(0);
    await waitFor(async () => (await rows('select from read_model.checkpoints')).length > 0, {
      description: 'the checkpoint to move',
    });
    expect(await rows('select distinct generation from read_model.checkpoints')).toEqual([{ generation: 2 }]);
  });
});
