import type { DueDelivery } from '../../queue/delivery';
import { DeliverySettings } from '../delivery-settings';
import type { QueuePools } from '../queue-pools';
import { DueDeliveries } from './due-deliveries';
import { Lane } from './lane';
import type { LaneConfig } from './lane-config';

const NOW = new Date('2026-03-02T10:00:00Z');
const config = {
  tenant_id: 1,
  webhook_id: 'w',
  active: true,
  failures: 0,
  open_until: null,
  failing_since: null,
} as LaneConfig;

const due = (event_id: string) =>
  ({ tenant_id: 1, webhook_id: 'w', event_id, due_at: '2026-03-02 09:00:00Z' }) as DueDelivery;

/** DueDeliveries that read these rows; `meanwhile` happens while they do. */
function reading(rows: DueDelivery[], meanwhile = () => {}): DueDeliveries {
  const query = async () => {
    meanwhile();
    return { rows };
  };
  return new DueDeliveries({ queue: { query } } as unknown as QueuePools);
}

const ids = ({ items }: Lane) => items.map(({ delivery }) => delivery.event_id);

describe('deliveries that are due', () => {
  it('are taken in hand only once', async () => {
    const lane = new Lane(new DeliverySettings(), config, Infinity);
    lane.add(due('a'));
    await reading([due('a'), due('b')]).fetch([lane], NOW);
    expect(ids(lane)).toEqual(['a', 'b']);
  });

  it('are not taken again when their results were written down while they were read', async () => {
    const lane = new Lane(new DeliverySettings(), config, Infinity);
    lane.add(due('a'));
    lane.items = []; // under way
    await reading([due('a'), due('b')], () => lane.known.delete('a')).fetch([lane], NOW);
    expect(ids(lane)).toEqual(['b']);
  });

  it('are looked for from the start when those in hand were let go of while more were read', async () => {
    const lane = new Lane(Object.assign(new DeliverySettings(), { ahead: 1 }), config, Infinity);
    await reading([due('a')]).fetch([lane], NOW);
    lane.items = []; // under way
    await reading([due('c')], () => lane.fetchAnew()).fetch([lane], NOW);
    expect(ids(lane)).toEqual(['c']);
    expect(lane.isAtStart).toBe(true);
  });

  it('are looked for from the start when one kind is no longer late, even when another is late by now', () => {
    const lane = new Lane(new DeliverySettings(), config, Infinity);
    lane.add({ ...due('a'), kind: 'division' });
    lane.add({ ...due('b'), kind: 'role' });
    const [division, role] = lane.items;
    Object.assign(division, { waitsSince: 0, lookAt: 2_250 });
    lane.toRender(2_000);
    expect([...lane.late]).toEqual(['division']);
    lane.fetchedTo = due('b');

    Object.assign(division, { record: { version: 1 }, renderedAt: 2_100 });
    Object.assign(role, { waitsSince: 1_000, lookAt: 2_250 });
    lane.toRender(2_100);
    expect([...lane.late]).toEqual(['role']);
    expect(lane.isAtStart).toBe(true);
  });
});
