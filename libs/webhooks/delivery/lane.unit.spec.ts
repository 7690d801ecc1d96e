import { DeliverySettings } from './delivery-settings';
import { type DueDelivery, Lane, type LaneConfig } from './lane';

const config = {
  ...{
    tenant_id: 1,
    webhook_id: 'w',
    url: 'https://hooks.example.com/in',
    payload_mode: 'full',
    active: true,
  },
  ...{ failures: 0, open_until: null, failing_since: null, disabled_at: null },
} as LaneConfig;

it('sends nothing of what it had in hand when its webhook was disabled, though it is enabled again by now', () => {
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
