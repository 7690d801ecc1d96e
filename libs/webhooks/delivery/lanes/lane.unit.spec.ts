import { SystemClock } from '#kernel/clock';
import { DeliveryState, type DueDelivery } from '../../queue/delivery';
import { DeliverySettings } from '../delivery-settings';
import { Outcomes } from '../outcomes';
import type { QueuePools } from '../queue-pools';
import { afterFailure, WELL } from './breaker';
import { type Item, Lane } from './lane';
import type { LaneConfig } from './lane-config';
import type { LaneLeases } from './lane-leases';

const config = {
  tenant_id: 1,
  webhook_id: 'w',
  url: 'https://hooks.example.com/in',
  payload_mode: 'full',
  active: true,
  failures: 0,
  open_until: null,
  failing_since: null,
  disabled_at: null,
} as LaneConfig;

it('a lane sends nothing that it had in hand when its webhook was disabled, even when that is enabled again', () => {
  const lane = new Lane(new DeliverySettings(), config, Infinity);
  lane.add({ event_id: 'one' } as DueDelivery);
  const at = performance.now();
  for (const item of lane.items) Object.assign(item, { record: { version: 1 }, renderedAt: at });

  lane.reconfigure({ ...config, disabled_at: new Date() }, Infinity);
  expect(lane.next(new Date(), at)).toBeUndefined();

  lane.add({ event_id: 'two' } as DueDelivery);
  for (const item of lane.items) Object.assign(item, { record: { version: 1 }, renderedAt: at });
  lane.reconfigure({ ...lane.config, disabled_at: new Date(lane.config.disabled_at!) }, Infinity);
  expect(lane.next(new Date(), at)?.delivery.event_id).toBe('two');
});

it('a lane keeps the standing of its receiver when it is renewed while the standing is being written down', async () => {
  const lane = new Lane(new DeliverySettings(), config, Infinity);
  const [at, failing] = [new Date(), afterFailure(WELL, new Date())];
  Object.assign(lane, { standing: failing, isChanged: true });
  const query = async () => {
    expect(lane.standing).toBe(failing);
    // The lane gets the settings that were read before this statement is committed.
    lane.reconfigure({ ...config }, Infinity);
    await Promise.resolve();
  };
  const pools = { queue: { query } } as unknown as QueuePools;
  const outcomes = new Outcomes(pools, {} as LaneLeases, new SystemClock());
  const item = { lane, delivery: { event_id: 'one' } } as Item;
  const sent = { item, url: config.url, registeredAt: at, at, milliseconds: 1 };
  const failed = { ...sent, state: DeliveryState.Pending, failures: 1 };
  await new Promise((written) => outcomes.add(failed, written));
  expect(lane.standing).toBe(failing);
  expect(lane.isChanged).toBe(false);
});

describe('records that are read ahead', () => {
  const KB = 1024;
  let lane: Lane;
  beforeEach(() => {
    lane = new Lane(new DeliverySettings(), config, Infinity);
    lane.share = 500 * KB;
    for (let number = 0; number < 100; number++) lane.add({ event_id: String(number) } as DueDelivery);
  });

  const read = (items: readonly Item[], length: number) => {
    for (const item of items) {
      const record = { version: 1, length, text: ' '.repeat(length) };
      Object.assign(item, { record, renderedAt: 0, isBeingRendered: false });
      lane.took(record);
    }
  };
  const begin = (items: readonly Item[]) => {
    for (const item of items) item.isBeingRendered = true;
    return items;
  };

  it('are few until their length is known, including those that are being read', () => {
    const some = begin(lane.toRender(0));
    expect(some.length).toBe(7);
    expect(lane.toRender(0).length).toBe(0);
    read(some, 2 * KB);
    expect(lane.toRender(0).length).toBeGreaterThan(7);
  });

  it('are as few as fit when they are long, but at least one', () => {
    read(lane.toRender(0).slice(0, 1), 240 * KB);
    expect(lane.toRender(0).length).toBe(1);
    read(lane.toRender(0), 300 * KB);
    expect(lane.toRender(0).length).toBe(0);
    lane.share = 10 * KB;
    lane.items = lane.items.filter(({ record }) => !record);
    expect(begin(lane.toRender(0)).length).toBe(1);
    expect(lane.toRender(0).length).toBe(0);
  });

  it('are many again once they are short', () => {
    read(lane.toRender(0).slice(0, 1), 400 * KB);
    expect(lane.toRender(0).length).toBe(0);
    // The first delivery is sent.
    lane.items.shift();
    while (lane.toRender(0).length > 0) read(lane.toRender(0), 2 * KB);
    expect(lane.items.every(({ record }) => record)).toBe(true);
  });

  it('are not more when those first in line were read last', () => {
    read(lane.items.slice(50, 60), 50 * KB);
    expect(lane.toRender(0).length).toBe(0);
    expect(lane.room).toBe(0);
  });

  it('are let go of when they are too old to be sent, even when there is no room to read all of them again', () => {
    read(lane.items, 10 * KB);
    lane.share = 100 * KB;
    expect(begin(lane.toRender(2_000)).length).toBe(10);
    expect(lane.items.filter(({ record }) => record).length).toBe(0);
  });

  it('are neither looked for again nor taken for late while there is no room for them', () => {
    // Their read model had them a moment later.
    for (const item of lane.items) Object.assign(item, { waitsSince: 0, lookAt: 4 });
    expect(lane.looksAgainAt(1)).toBe(4);
    expect(lane.looksAgainAt(5)).toBe(5);
    read(lane.items.slice(0, 2), 240 * KB);
    expect(lane.looksAgainAt(5)).toBe(Infinity);
    expect(lane.looksAgainAt(999)).toBe(Infinity);
    for (const item of lane.items.slice(0, 2)) item.renderedAt = 1_500;
    lane.toRender(2_000);
    expect([...lane.late]).toEqual([]);
    lane.items.splice(0, 2);
    expect(lane.looksAgainAt(2_000)).toBe(2_000);
  });

  it('begin with one late record of each kind, because what is sent next would take all the room', () => {
    for (const kind of ['role', 'role', 'client'])
      lane.add({ event_id: `late ${lane.items.length}`, kind } as DueDelivery);
    for (const item of lane.items.slice(-3)) Object.assign(item, { waitsSince: -1_500, lookAt: 4 });
    lane.toRender(5);
    expect([...lane.late]).toEqual(['role', 'client']);
    const kinds = (items: readonly Item[]) => items.map(({ delivery }) => delivery.kind);
    expect(kinds(lane.toRender(5)).slice(0, 3)).toEqual(['role', 'client', undefined]);
    read(lane.items.slice(0, 1), 240 * KB);
    expect(kinds(lane.toRender(5))).toEqual(['role']);
  });
});
