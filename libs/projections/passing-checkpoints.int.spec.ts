import { Logger } from '@nestjs/common';
import { DatabaseError } from 'pg';
import type { Subscriber } from '#event-bus/event-bus';
import type { RecordedEvent } from '#event-store/events';
import type { Cursor } from '#event-store/feed';
import { START } from '#event-store/position';
import { Division } from '#practice/divisions/division';
import {
  CreateDivision,
  CreateDivisionHandler,
  UpdateDivision,
  UpdateDivisionHandler,
} from '#practice/divisions/division.commands';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { contextFor, createContext, createTestStore, type TestStore } from '../../test/support/store';
import { waitFor } from '../../test/support/wait-for';
import { liveModels } from './live-models';
import { Parking } from './parking';
import { ProjectionRunner } from './projection-runner';
import { Projections } from './projections';
import { HandBus } from './testing/hand-bus';
import { projectionParts } from './testing/parts';
import { createTally, tally } from './testing/tally';

/** A failure that is not the events' fault. */
const diskFull = Object.assign(new DatabaseError('disk full', 0, 'error'), { code: '53100' });

describe('checkpoints of read models that nothing is for', () => {
  const counting = tally(new Set(['DivisionCreated']));
  let store: TestStore;
  let subscriber: Subscriber;
  let now: jest.SpyInstance;
  let partition: number;

  beforeEach(async () => {
    store = await createTestStore([Division]);
    await createTally(store.reads.pool);
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    partition = 0;
    now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const bus = new HandBus();
    const idle = { ...divisionsProjection, eventTypes: new Set<string>() };
    new ProjectionRunner(
      bus,
      store.reads,
      new Parking(store.reads),
      new Projections([counting, idle]),
    ).start();
    subscriber = bus.subscriber;
    await subscriber.cursors(await store.feed.partitions());
  });
  afterEach(async () => {
    await store.close();
    jest.restoreAllMocks();
  });

  /** In a tenant of its own, in a partition of its own; answers how to rename it. */
  async function create(): Promise<() => Promise<unknown>> {
    const { tenant } = await createContext(store);
    tenant.partition = partition++;
    await store.writes.pool.query('update platform.tenants set partition = $2 where id = $1', [
      tenant.id,
      tenant.partition,
    ]);
    const context = contextFor(tenant);
    const { record } = await new CreateDivisionHandler(store.store).execute(
      new CreateDivision(context, { name: 'Property' }),
    );
    return () =>
      new UpdateDivisionHandler(store.store).execute(
        new UpdateDivision(context, record.id, { name: 'Litigation' }),
      );
  }

  /** Hands over what was written as one batch, and answers the event. */
  async function handed(write: () => Promise<unknown>): Promise<RecordedEvent> {
    const before = await store.feed.heads();
    await write();
    const cursors = (await store.feed.partitions()).map((partition) => ({
      partition,
      after: before.get(partition) ?? START,
    }));
    const events = await unread(cursors, 1);
    expect(await subscriber.handle(events)).toBe(true);
    return events[0];
  }

  async function unread(cursors: Cursor[], count: number): Promise<RecordedEvent[]> {
    let events: RecordedEvent[] = [];
    await waitFor(async () => (events = await store.feed.read(cursors, 10)).length === count, {
      description: `${count} events in the feed`,
    });
    return events;
  }

  /** Where a read model stands in the event's partition. */
  async function stands(projection: string, { partition }: RecordedEvent) {
    return (await reachedBy(projection)).get(partition);
  }

  async function reachedBy(projection: string) {
    return (await liveModels(store.reads.pool)).get(projection)!.main.reached;
  }

  it('are moved now and then while batch follows batch, and once nothing more is at hand', async () => {
    const rename = await create();
    const first = await handed(create);
    expect(await stands('tally', first)).toEqual(first.at);
    expect(await stands('divisions', first)).toEqual(first.at);

    now.mockReturnValue(1_020);
    const second = await handed(rename);
    expect(await stands('divisions', second)).not.toEqual(second.at);

    now.mockReturnValue(1_030);
    const third = await handed(create);
    expect(await stands('divisions', third)).toEqual(third.at);
    expect(await stands('divisions', second)).toEqual(second.at);

    const fourth = await handed(create);
    expect(await stands('tally', fourth)).toEqual(fourth.at);
    expect(await stands('divisions', fourth)).not.toEqual(fourth.at);
    expect(await subscriber.settle!()).toBe(true);
    expect(await stands('divisions', fourth)).toEqual(fourth.at);
  });

  it('are moved in every partition with the rows of one', async () => {
    const rename = await create();
    await handed(create);
    const renamed = await handed(rename);
    expect(await stands('tally', renamed)).not.toEqual(renamed.at);

    const created = await handed(create);
    expect(await stands('tally', created)).toEqual(created.at);
    expect(await stands('tally', renamed)).toEqual(renamed.at);
  });

  it('are read again when a read model was rebuilt before they were moved', async () => {
    const rename = await create();
    await handed(create);
    const renamed = await handed(rename);
    await projectionParts(store, [counting]).rebuild.rebuild('tally');
    expect(await subscriber.settle!()).toBe(false);

    await subscriber.cursors(await store.feed.partitions());
    const created = await handed(create);
    expect(await subscriber.settle!()).toBe(true);
    for (const projection of ['tally', 'divisions']) {
      expect(await stands(projection, created)).toEqual(created.at);
    }
    expect(await stands('tally', renamed)).toEqual(renamed.at);
    const counts = await store.reads.pool.query('select events from read_model.tally where generation = 2');
    expect(counts.rows.map(({ events }) => events)).toEqual(['1', '1', '1']);
  });

  it('are not moved past what could not be applied', async () => {
    const event = await handed(create);
    jest.spyOn(counting, 'apply').mockRejectedValueOnce(diskFull);
    await expect(handed(create)).rejects.toThrow('disk full');
    expect(await subscriber.settle!()).toBe(true);
    expect([...(await reachedBy('tally')).values()]).toEqual([event.at]);
  });
});
