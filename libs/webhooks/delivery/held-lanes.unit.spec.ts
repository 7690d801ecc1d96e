import { SystemClock } from '#kernel/clock';
import { endpointKey } from '../delivery';
import type { QueueSignal } from '../queue-signal';
import { WELL } from './breaker';
import { DeliverySettings } from './delivery-settings';
import { HeldLanes } from './held-lanes';
import { type DueDelivery, Lane, type LaneConfig } from './lane';
import type { LaneLeases } from './lane-leases';

const WEBHOOK = '0198c2f1-a4b8-7c3d-9e5f-60718293a4b5';
const settings = new DeliverySettings();
const laneOf = (tenant_id: number) =>
  new Lane(settings, { tenant_id, webhook_id: WEBHOOK, active: true } as LaneConfig, Infinity);

it('tells two tenants apart whose webhooks have the same id', async () => {
  const [held, other] = [laneOf(1), laneOf(2)];
  const take = jest.fn().mockResolvedValueOnce([held, other]).mockResolvedValue([]);
  const leases = { take, renew: async () => [], release: async () => undefined } as unknown as LaneLeases;
  const signal = { connect: async () => undefined } as unknown as QueueSignal;
  const lanes = new HeldLanes(leases, signal, new SystemClock(), settings);
  await lanes.refresh();
  for (const lane of [held, other]) lane.isDrained = true;
  lanes.lookAt([endpointKey(held.config)]);
  expect([held.isDrained, other.isDrained]).toEqual([false, true]);
  const third = endpointKey(laneOf(3).config);
  lanes.lookAt([third]);
  await lanes.refresh();
  expect(take.mock.lastCall[2]).toEqual([third]);
});

it('begins nothing more at an endpoint that it no longer holds, as one that was removed', async () => {
  const lane = laneOf(1);
  lane.standing = WELL;
  const take = jest.fn().mockResolvedValueOnce([lane]).mockResolvedValue([]);
  const leases = { take, renew: async (lanes: Lane[]) => lanes } as unknown as LaneLeases;
  Object.assign(leases, { release: async () => undefined });
  const signal = { connect: async () => undefined } as unknown as QueueSignal;
  const lanes = new HeldLanes(leases, signal, new SystemClock(), settings);
  await lanes.refresh();
  for (const event_id of ['one', 'two']) lane.add({ event_id } as DueDelivery);
  const at = performance.now();
  for (const item of lane.items) Object.assign(item, { record: { version: 1 }, renderedAt: at });
  expect(lane.next(new Date(), at)?.delivery.event_id).toBe('one');

  lanes.reread();
  await lanes.refresh();
  expect(lanes.all).toEqual([]);
  expect(lane.next(new Date(), at)).toBeUndefined();
});
