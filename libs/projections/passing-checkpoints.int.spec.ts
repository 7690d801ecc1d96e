import { Logger } from '@nestjs/common';
import { DatabaseError } from 'pg';
import type { Subscriber } from '#event-bus/event-bus';
import type { RecordedEvent } from '#event-store/events';
import { type Position, START } from '#event-store/position';
import type { Id } from '#kernel/ids';
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
import { liveModel } from './live-models';
import { projectionParts, runnerByHand } from './testing/parts';
import { createTally, tally } from './testing/tally';

/** An error that the events did not cause. */
const diskFull = Object.assign(new DatabaseError('disk full', 0, 'error'), { code: '53100' });

describe('checkpoints of read models that need none of the events', () => {
  const counting = tally(new Set(['DivisionCreated']));
  let store: TestStore;
  let subscriber: Subscriber;
  let now: jest.SpyInstance;
  /** The position up to which each partition was handed over. Each tenant is in the next partition. */
  let cursors: Map<number, Position>;

  beforeEach(async () => {
    store = await createTestStore([Division]);
    await createTally(store.reads.pool);
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    cursors = new Map();
    now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const idle = { ...divisionsProjection, eventTypes: new Set<string>() };
    subscriber = runnerByHand(store, [counting, idle]);
    await subscriber.cursors(await store.feed.partitions());
  });
  afterEach(async () => {
    await store.close();
    jest.restoreAllMocks();
  });

  /**
   * Creates a division in a new tenant, which is alone in its partition. Returns a function that renames the division.
   */
  async function created() {
    const { tenant } = await createContext(store);
    tenant.partition = cursors.size;
    await store.writes.pool.query('update platform.tenants set partition = $2 where id = $1', [
      tenant.id,
      tenant.partition,
    ]);
    cursors.set(tenant.partition, START);
    const context = contextFor(tenant);
    let record: { id: Id };
    const event = await handed(async () => {
      const command = new CreateDivision(context, { name: 'Property' });
      ({ record } = await new CreateDivisionHandler(store.store).execute(command));
    });
    const rename = () =>
      new UpdateDivisionHandler(store.store).execute(
        new UpdateDivision(context, record.id, { name: 'Litigation' }),
      );
    return { event, renamed: () => handed(rename) };
  }

  /** Hands over the written events as one batch, and returns the event. */
  async function handed(write: () => Promise<unknown>): Promise<RecordedEvent> {
    await write();
    const after = [...cursors].map(([partition, at]) => ({ partition, after: at }));
    let events: RecordedEvent[] = [];
    await waitFor(async () => (events = (await store.feed.page(after, 10)).events).length === 1, {
      description: 'the event in the feed',
    });
    const [event] = events;
    cursors.set(event.partition, event.at);
    expect(await subscriber.handle(events)).toBe(true);
    return event;
  }

  /** The position of a read model in the event's partition. */
  async function stands(projection: string, { partition }: RecordedEvent) {
    return (await liveModel(store.reads.pool, projection)).main.reached.get(partition);
  }

  it('are moved now and then while batch follows batch, and once no more events are at hand', async () => {
    const first = await created();
    expect(await stands('tally', first.event)).toEqual(first.event.at);
    expect(await stands('divisions', first.event)).toEqual(first.event.at);

    now.mockReturnValue(1_020);
    const second = await first.renamed();
    expect(await stands('divisions', second)).toEqual(first.event.at);

    now.mockReturnValue(1_030);
    const { event: third } = await created();
    expect(await stands('divisions', third)).toEqual(third.at);
    expect(await stands('divisions', second)).toEqual(second.at);

    const { event: fourth } = await created();
    expect(await stands('tally', fourth)).toEqual(fourth.at);
    expect(await stands('divisions', fourth)).toBeUndefined();
    expect(await subscriber.settle!()).toBe(true);
    expect(await stands('divisions', fourth)).toEqual(fourth.at);
  });

  it('are moved in every partition together with the rows of one', async () => {
    const first = await created();
    const renamed = await first.renamed();
    expect(await stands('tally', renamed)).toEqual(first.event.at);

    const { event } = await created();
    expect(await stands('tally', event)).toEqual(event.at);
    expect(await stands('tally', renamed)).toEqual(renamed.at);
  });

  it('are read again when a read model was rebuilt before they were moved', async () => {
    const first = await created();
    const renamed = await first.renamed();
    await projectionParts(store, [counting]).rebuild.rebuild('tally');
    expect(await subscriber.settle!()).toBe(false);

    await subscriber.cursors(await store.feed.partitions());
    const { event } = await created();
    expect(await subscriber.settle!()).toBe(true);
    for (const projection of ['tally', 'divisions'])
      expect(await stands(projection, event)).toEqual(event.at);
    expect(await stands('tally', renamed)).toEqual(renamed.at);
    const counts = await store.reads.pool.query('select events from read_model.tally where generation = 2');
    expect(counts.rows.map(({ events }) => events)).toEqual(['1', '1']);
  });

  it('are not moved past events that could not be applied', async () => {
    const { event } = await created();
    jest.spyOn(counting, 'apply').mockRejectedValueOnce(diskFull);
    await expect(created()).rejects.toThrow('disk full');
    expect(await subscriber.settle!()).toBe(true);
    const { reached } = (await liveModel(store.reads.pool, 'tally')).main;
    expect([...reached]).toEqual([[event.partition, event.at]]);
  });
});
