import { Injectable } from '@nestjs/common';
import { type DueDelivery, endpointKey } from '../../queue/delivery';
import { QueuePools } from '../queue-pools';
import type { Lane } from './lane';

/** The columns that an attempt needs. Dates are parsed only where they are used. */
const COLUMNS = `d.tenant_id, d.webhook_id, d.event_id, d.request_id, d.type, d.sent_as, d.kind, d.subject, d.version,
  d.changed, d.source, d.occurred_at, d.at, d.failures, d.due_at::text as due_at`;

/** Reads due deliveries. */
@Injectable()
export class DueDeliveries {
  constructor(private readonly pools: QueuePools) {}

  /**
   * Gives the lanes the deliveries that they want, in one round trip. A lane that gets fewer has no more due
   * deliveries.
   */
  async fetch(lanes: readonly Lane[], now: Date): Promise<void> {
    const asked = lanes.flatMap((lane) => askOf(lane, now) ?? []);
    if (asked.length === 0) return;
    for (const { lane } of asked) lane.isDrained = true;
    const byKey = new Map(asked.map((one) => [one.lane.key, one]));
    const { rows } = await this.pools.queue.query<DueDelivery>({
      name: 'webhooks.due',
      text: `
        select ${COLUMNS} from unnest($1::int[], $2::uuid[], $3::int[], $5::timestamptz[], $6::uuid[], $7::text[])
          w(tenant_id, webhook_id, wanted, due_at, event_id, late)
        cross join lateral (
          select * from webhooks.deliveries d
          where d.tenant_id = w.tenant_id and d.webhook_id = w.webhook_id and d.state = 0 and d.due_at <= $4
            and (d.due_at, d.event_id) > (w.due_at, w.event_id) and d.kind <> all(string_to_array(w.late, ','))
          order by d.due_at, d.event_id limit w.wanted
        ) d`,
      values: [
        asked.map(({ lane }) => lane.config.tenant_id),
        asked.map(({ lane }) => lane.config.webhook_id),
        asked.map(({ limit }) => limit),
        now,
        asked.map(({ lane }) => lane.fetchedTo.due_at),
        asked.map(({ lane }) => lane.fetchedTo.event_id),
        asked.map(({ lane }) => [...lane.late].join()),
      ],
    });
    for (const row of rows) {
      const one = byKey.get(endpointKey(row))!;
      // A delivery that was in hand before the query may have been written down meanwhile: the row of the answer is
      // then out of date.
      if (!one.known.has(row.event_id)) one.lane.add(row);
      // A lane that dropped deliveries meanwhile fetches from the start: they may be due before this row.
      if (one.lane.restarts === one.restarts) one.lane.fetchedTo = row;
      one.got++;
    }
    for (const { lane, limit, got } of asked) {
      if (got === limit) lane.isDrained = false;
      else lane.fetchAnew();
    }
  }
}

/** How many deliveries are asked for a lane, and the state of the lane at that time; undefined when it wants none. */
function askOf(lane: Lane, now: Date) {
  const wanted = lane.wanted(now);
  if (wanted === 0) return undefined;
  // A fetch from the start meets again the deliveries in hand.
  const limit = lane.isAtStart ? wanted + lane.known.size : wanted;
  return { lane, limit, known: new Set(lane.known), restarts: lane.restarts, got: 0 };
}
