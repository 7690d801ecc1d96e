import { Injectable } from '@nestjs/common';
import type { DueDelivery, Lane } from './lane';
import { QueuePools } from './queue-pools';

/** What an attempt needs; dates are read only where they are used. */
const COLUMNS = `d.tenant_id, d.webhook_id, d.event_id, d.request_id, d.type, d.sent_as, d.kind, d.subject, d.version,
  d.changed, d.source, d.occurred_at, d.at, d.failures, d.due_at::text as due_at`;

/** Reads what is due. */
@Injectable()
export class DueDeliveries {
  constructor(private readonly pools: QueuePools) {}

  /** Gives the lanes what they want, in one round trip; one that gets less has no more that is due. */
  async fetch(lanes: readonly Lane[], now: Date): Promise<void> {
    const wanting = lanes
      .map((lane) => ({ lane, wanted: lane.wanted(now) }))
      .filter(({ wanted }) => wanted > 0);
    if (wanting.length === 0) return;
    for (const { lane } of wanting) lane.isDrained = true;
    const limits = new Map(wanting.map(({ lane, wanted }) => [lane, limitOf(lane, wanted)]));
    const byKey = new Map(
      wanting.map(({ lane }) => [
        lane.key,
        { lane, limit: limits.get(lane)!, known: new Set(lane.known), restarts: lane.restarts, got: 0 },
      ]),
    );
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
        wanting.map(({ lane }) => lane.config.tenant_id),
        wanting.map(({ lane }) => lane.config.webhook_id),
        [...limits.values()],
        now,
        wanting.map(({ lane }) => lane.fetchedTo.due_at),
        wanting.map(({ lane }) => lane.fetchedTo.event_id),
        wanting.map(({ lane }) => [...lane.late].join()),
      ],
    });
    for (const row of rows) {
      const one = byKey.get(`${row.tenant_id}/${row.webhook_id}`)!;
      // What was in hand when it was asked may have been written down meanwhile: it is not as the answer has it.
      if (!one.known.has(row.event_id)) one.lane.add(row);
      // What was let go of meanwhile may be due before it.
      if (one.lane.restarts === one.restarts) one.lane.fetchedTo = row;
      one.got++;
    }
    for (const { lane, limit, got } of byKey.values()) {
      if (got === limit) lane.isDrained = false;
      else lane.fetchAnew();
    }
  }
}

/** From the start on it meets again what is in hand. */
function limitOf(lane: Lane, wanted: number): number {
  return lane.isAtStart ? wanted + lane.known.size : wanted;
}
