import { SystemClock } from '#kernel/clock';
import { endpointKey } from '../delivery';
import type { QueueSignal } from '../queue-signal';
import { DeliverySettings } from './delivery-settings';
import { HeldLanes } from './held-lanes';
import { Lane, type LaneConfig } from './lane';
import type { LaneLeases } from './lane-leases';

const WEBHOOK = '0198c2f1-a4b8-7c3d-9e5f-60718293a4b5';
const settings = new DeliverySettings();
const laneOf = (tenant_id: number) =>
  new Lane(settings, { tenant_id, webhook_id: WEBHOOK } as LaneConfig, Infinity);

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
