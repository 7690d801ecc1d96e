import { setImmediate as turn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { SystemClock } from '#kernel/clock';
import type { DueDelivery } from '../queue/delivery';
import type { QueueSignal } from '../queue/queue-signal';
import type { Attempt } from './attempt';
import type { Rendering } from './bodies/rendering';
import { DeliverySettings } from './delivery-settings';
import { Dispatcher } from './dispatcher';
import type { FailureWatch } from './failure-watch';
import { WELL } from './lanes/breaker';
import type { DueDeliveries } from './lanes/due-deliveries';
import { type Item, Lane } from './lanes/lane';
import type { LaneConfig } from './lanes/lane-config';
import type { LeasedLanes } from './lanes/leased-lanes';
import type { Outcomes } from './outcomes';
import type { QueuePools } from './queue-pools';

it('fetches more when its last deliveries were begun while a round was ending', async () => {
  const settings = new DeliverySettings();
  const lane = new Lane(settings, { tenant_id: 1, webhook_id: 'w', active: true } as LaneConfig, Infinity);
  lane.standing = WELL;
  const fetched: string[] = [];
  const dispatcher = new Dispatcher(
    {
      lookEverywhere: () => undefined,
      refresh: async () => undefined,
      all: [lane],
    } as unknown as LeasedLanes,
    {
      async fetch() {
        const event_id = `event ${fetched.length}`;
        if (fetched.length < 3) lane.add({ event_id } as DueDelivery);
        else lane.isDrained = true;
        fetched.push(event_id);
      },
    } as unknown as DueDeliveries,
    {
      // Like a rendering that needs nothing from the database.
      async render(items: readonly Item[]) {
        await Promise.all([]);
        for (const item of items)
          Object.assign(item, { record: { version: 1 }, renderedAt: performance.now() });
      },
    } as unknown as Rendering,
    { send: () => new Promise(() => undefined) } as unknown as Attempt,
    { isFull: false } as Outcomes,
    {} as FailureWatch,
    {} as QueueSignal,
    {} as QueuePools,
    new SystemClock(),
    settings,
  );
  dispatcher.look();
  for (let turns = 0; turns < 20; turns++) await turn();
  expect(fetched).toHaveLength(4);
  expect(lane.underWay).toBe(3);
});

it('warns when the database that it asks for deliveries is away', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const [errors, warnings] = (['error', 'warn'] as const).map((level) =>
    jest.spyOn(Logger.prototype, level).mockImplementation(),
  );
  const dispatcher = new Dispatcher(
    { lookEverywhere: () => undefined, refresh: () => Promise.reject(refused) } as unknown as LeasedLanes,
    {} as DueDeliveries,
    {} as Rendering,
    {} as Attempt,
    {} as Outcomes,
    {} as FailureWatch,
    {} as QueueSignal,
    {} as QueuePools,
    new SystemClock(),
    new DeliverySettings(),
  );
  dispatcher.look();
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(warnings.mock.calls).toEqual([['Deliveries are held up: connect ECONNREFUSED']]);
  expect(errors).not.toHaveBeenCalled();
  jest.restoreAllMocks();
});
