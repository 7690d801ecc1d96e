import { Injectable } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import type { DeliveryRow } from '../delivery';
import type { Lane } from './lane';

/** Reads what is due. */
@Injectable()
export class DueDeliveries {
  constructor(private readonly database: WriteDatabase) {}

  /** Gives the lanes what they want, in one round trip; one that gets less has no more that is due. */
  async fetch(lanes: readonly Lane[], now: Date): Promise<void> {
    const wanting = lanes
      .map((lane) => ({ lane, wanted: lane.wanted(now) }))
      .filter(({ wanted }) => wanted > 0);
    if (wanting.length === 0) return;
    for (const { lane } of wanting) lane.isDrained = true;
    const { rows } = await this.database.pool.query<DeliveryRow>({
      name: 'webhooks.due',
      text: `
        select d.* from unnest($1::int[], $2::uuid[], $3::int[]) w(tenant_id, webhook_id, wanted)
        cross join lateral (
          select * from webhooks.deliveries d
          where d.tenant_id = w.tenant_id and d.webhook_id = w.webhook_id and d.state = 0 and d.due_at <= $4
            and d.event_id <> all ($5::uuid[])
          order by d.due_at, d.event_id limit w.wanted
        ) d`,
      values: [
        wanting.map(({ lane }) => lane.config.tenant_id),
        wanting.map(({ lane }) => lane.config.webhook_id),
        wanting.map(({ wanted }) => wanted),
        now,
        wanting.flatMap(({ lane }) => [...lane.known]),
      ],
    });
    const byKey = new Map(wanting.map(({ lane, wanted }) => [lane.key, { lane, wanted, got: 0 }]));
    for (const row of rows) {
      const one = byKey.get(`${row.tenant_id}/${row.webhook_id}`)!;
      one.lane.add(row);
      one.got++;
    }
    for (const { lane, wanted, got } of byKey.values()) if (got === wanted) lane.isDrained = false;
  }
}
