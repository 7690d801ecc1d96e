import { Logger } from '@nestjs/common';
import { SystemClock } from '#kernel/clock';
import type { Config } from '#platform/config';
import type { WriteDatabase } from '#platform/database';
import { waitFor } from '../../../../test/support/wait-for';
import { type DueDelivery, endpointKey } from '../../queue/delivery';
import { QueueSignal } from '../../queue/queue-signal';
import { DeliverySettings } from '../delivery-settings';
import { WELL } from './breaker';
import { Lane } from './lane';
import type { LaneConfig } from './lane-config';
import type { LaneLeases } from './lane-leases';
import { LeasedLanes } from './leased-lanes';

const WEBHOOK = '0198c2f1-a4b8-7c3d-9e5f-60718293a4b5';
const settings = new DeliverySettings();
const laneOf = (tenant_id: number, created_at = new Date(0)) =>
  new Lane(settings, { tenant_id, webhook_id: WEBHOOK, created_at, active: true } as LaneConfig, Infinity);

it('tells two tenants apart whose webhooks have the same id', async () => {
  const [held, other] = [laneOf(1), laneOf(2)];
  const take = jest.fn().mockResolvedValueOnce([held, other]).mockResolvedValue([]);
  const leases = { take, renew: async () => [], release: async () => undefined } as unknown as LaneLeases;
  const signal = { connect: async () => undefined } as unknown as QueueSignal;
  const lanes = new LeasedLanes(leases, signal, new SystemClock(), settings);
  await lanes.refresh();
  for (const lane of [held, other]) lane.isDrained = true;
  lanes.lookAt([endpointKey(held.config)]);
  expect([held.isDrained, other.isDrained]).toEqual([false, true]);
  const third = endpointKey(laneOf(3).config);
  lanes.lookAt([third]);
  await lanes.refresh();
  expect(take.mock.lastCall[2]).toEqual([third]);
});

it('begins no more attempts at an endpoint that it no longer holds, such as a removed one', async () => {
  const lane = laneOf(1);
  lane.standing = WELL;
  const take = jest.fn().mockResolvedValueOnce([lane]).mockResolvedValue([]);
  const leases = { take, renew: async (lanes: Lane[]) => lanes } as unknown as LaneLeases;
  Object.assign(leases, { release: async () => undefined });
  const signal = { connect: async () => undefined } as unknown as QueueSignal;
  const lanes = new LeasedLanes(leases, signal, new SystemClock(), settings);
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

describe('a lease that ran out while the database was silent', () => {
  /** Takes a lane, begins one of its two deliveries, and takes the endpoint once more. */
  async function takenAgain(lane: Lane, again: Lane): Promise<Lane[]> {
    lane.standing = WELL;
    const take = jest.fn().mockResolvedValueOnce([lane]).mockResolvedValueOnce([again]);
    const leases = { take, renew: async () => [], release: async () => undefined } as unknown as LaneLeases;
    const signal = { connect: async () => undefined } as unknown as QueueSignal;
    const lanes = new LeasedLanes(leases, signal, new SystemClock(), settings);
    await lanes.refresh();
    for (const event_id of ['one', 'two']) lane.add({ event_id } as DueDelivery);
    const at = performance.now();
    for (const item of lane.items) Object.assign(item, { record: { version: 1 }, renderedAt: at });
    expect(lane.next(new Date(), at)?.delivery.event_id).toBe('one');
    lanes.lookEverywhere();
    await lanes.refresh();
    return lanes.all;
  }

  it('is taken again without sending once more what is under way', async () => {
    const [lane, again] = [laneOf(1), laneOf(1)];
    lane.leasedUntil = 1e9;
    expect(await takenAgain(lane, again)).toEqual([lane]);
    // What has not begun is fetched again: another worker may have sent it meanwhile.
    expect({ known: [...lane.known], items: lane.items, underWay: lane.underWay }).toEqual({
      known: ['one'],
      items: [],
      underWay: 1,
    });
    expect(lane.leasedUntil).toBe(Infinity);
  });

  it('is not that of the webhook that was registered under the same id since', async () => {
    const [lane, again] = [laneOf(1), laneOf(1, new Date(1))];
    expect(await takenAgain(lane, again)).toEqual([again]);
    expect(lane.next(new Date(), performance.now())).toBeUndefined();
  });
});

it('renews its leases even when the database takes no connection for signals', async () => {
  const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const config = { databaseUrl: 'postgres://127.0.0.1:1/none' } as Config;
  const signal = new QueueSignal({} as WriteDatabase, config);
  const take = jest
    .fn()
    .mockResolvedValueOnce([laneOf(1)])
    .mockResolvedValue([]);
  const renew = jest.fn().mockResolvedValue([]);
  const leases = { take, renew, release: async () => undefined } as unknown as LaneLeases;
  const lanes = new LeasedLanes(leases, signal, new SystemClock(), settings);
  await lanes.refresh();
  lanes.reread();
  await lanes.refresh();
  expect(renew).toHaveBeenCalledTimes(1);
  await waitFor(() => warned.mock.calls.length > 0, { description: 'a warning' });
  expect(warned).toHaveBeenCalledWith(expect.stringContaining('ECONNREFUSED'));
  warned.mockRestore();
  await signal.disconnect();
});
