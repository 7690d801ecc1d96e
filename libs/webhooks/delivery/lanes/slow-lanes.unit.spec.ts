import { SystemClock } from '#kernel/clock';
import type { DueDelivery } from '../../queue/delivery';
import type { QueueSignal } from '../../queue/queue-signal';
import { DeliverySettings } from '../delivery-settings';
import { WELL } from './breaker';
import { Lane } from './lane';
import type { LaneConfig } from './lane-config';
import type { LaneLeases } from './lane-leases';
import { LeasedLanes } from './leased-lanes';

const settings = Object.assign(new DeliverySettings(), {
  lanes: 3,
  slowLanes: 4,
  slowUnderWay: 8,
  leaseMs: 0,
});

function laneOf(tenant_id: number): Lane {
  const lane = new Lane(settings, { tenant_id, webhook_id: 'w', active: true } as LaneConfig, Infinity);
  lane.standing = WELL;
  return lane;
}

/** Begins as many of ten deliveries as the lane may have under way. */
function begin(lane: Lane): void {
  for (let count = 0; count < 10; count++) lane.add({ event_id: `${lane.known.size}` } as DueDelivery);
  const at = performance.now();
  for (const item of lane.items) Object.assign(item, { record: { version: 1 }, renderedAt: at });
  while (lane.next(new Date(), at));
}

/** Serves these lanes. */
async function serving(lanes: Lane[]) {
  const take = jest.fn().mockResolvedValueOnce(lanes).mockResolvedValue([]);
  const leases = { take, renew: async () => [], release: async () => undefined } as unknown as LaneLeases;
  const signal = { connect: async () => undefined } as unknown as QueueSignal;
  const leased = new LeasedLanes(leases, signal, new SystemClock(), settings);
  await leased.refresh();
  return {
    /** For how many more endpoints there was room when the worker last looked. */
    async room(): Promise<number> {
      take.mockClear();
      leased.lookEverywhere();
      await leased.refresh();
      return take.mock.lastCall?.[1] ?? 0;
    },
  };
}

const slow = (tenant: number) => {
  const lane = laneOf(tenant);
  begin(lane);
  lane.ended(60_000);
  return lane;
};

it('a lane is slow while nothing under way ends, or while attempts take long', () => {
  const lane = laneOf(1);
  const soon = performance.now();
  expect(lane.isSlow(soon + 60_000)).toBe(false);
  begin(lane);
  expect([lane.isSlow(soon), lane.isSlow(soon + 60_000)]).toEqual([false, true]);
  lane.ended(10);
  expect(lane.isSlow(performance.now())).toBe(false);
  lane.ended(60_000);
  expect(lane.isSlow(performance.now())).toBe(true);
  for (let count = 0; count < 20; count++) lane.ended(10);
  expect(lane.isSlow(performance.now())).toBe(false);
});

it('slow lanes take no places of others, up to a limit', async () => {
  expect(await (await serving([1, 2, 3, 4].map(slow))).room()).toBe(3);
  expect(await (await serving([1, 2, 3, 4, 5].map(slow))).room()).toBe(2);
  const busy = laneOf(6);
  begin(busy);
  expect(await (await serving([busy, ...[1, 2, 3].map(slow)])).room()).toBe(2);
});

it('slow lanes share what may be under way, and each may have one', async () => {
  const mostOf = async (count: number) => {
    const lanes = Array.from({ length: count }, (_, index) => slow(index));
    await (await serving(lanes)).room();
    return lanes[0].most;
  };
  expect([await mostOf(1), await mostOf(3), await mostOf(9)]).toEqual([5, 2, 1]);
});

it('a slow lane makes no record ready while it cannot begin another attempt', () => {
  const lane = slow(1);
  const at = performance.now();
  expect(lane.toRender(at + 60_000)).toHaveLength(5);
  while (lane.underWay < lane.most) {
    Object.assign(lane.items[0], { record: { version: 1 }, renderedAt: at });
    lane.next(new Date(), at);
  }
  expect(lane.toRender(at + 60_000)).toEqual([]);
});
