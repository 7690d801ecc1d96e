import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Feed, lagOf } from '#event-store/feed';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { registerGauge } from '#platform/observability/gauge';
import { fanOutCursors } from './queue/fan-out-checkpoints';

/** The gauges of webhooks on `/metrics`; delivery-metrics.ts has those of the attempts. */
@Injectable()
export class WebhookMetrics implements OnModuleInit {
  constructor(
    private readonly database: WriteDatabase,
    private readonly feed: Feed,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    registerGauge(
      'webhook_fan_out_lag_seconds',
      'Age of the oldest event of a partition of which no messages were queued yet; 0 when all were.',
      ['partition'],
      async (set) => {
        const cursors = await fanOutCursors(this.database.pool, await this.feed.partitions());
        const oldest = await this.feed.oldest(cursors);
        const now = this.clock.now();
        for (const [index, { partition }] of cursors.entries())
          set(lagOf(oldest[index], now), String(partition));
      },
    );
    registerGauge(
      'webhook_delivery_lag_seconds',
      'For how long the delivery that is overdue the longest is, of webhooks that answer; 0 when none is.',
      [],
      async (set) => set(await this.overdue()),
    );
    registerGauge(
      'webhooks',
      'Webhooks that are `active`, `paused`, `failing` (nothing has arrived since a failure) or `disabled`.',
      ['state'],
      async (set) => {
        for (const [state, count] of Object.entries(await this.states())) set(count, state);
      },
    );
  }

  private async overdue(): Promise<number> {
    const { rows } = await this.database.pool.query<{ due: Date | null }>(
      `select min(d.due_at) as due from webhooks.endpoints e
       join webhooks.lanes l on l.tenant_id = e.tenant_id and l.webhook_id = e.id
       cross join lateral (
         select due_at from webhooks.deliveries d
         where d.tenant_id = e.tenant_id and d.webhook_id = e.id and d.state = 0 order by due_at limit 1) d
       where e.enabled and not e.paused and l.failing_since is null`,
    );
    const [{ due }] = rows;
    return due ? Math.max(0, (this.clock.now().getTime() - due.getTime()) / 1000) : 0;
  }

  private async states(): Promise<Record<string, number>> {
    const { rows } = await this.database.pool.query<Record<string, number>>(
      `select count(*) filter (where e.enabled and not e.paused and l.failing_since is null)::int as active,
         count(*) filter (where e.enabled and e.paused)::int as paused,
         count(*) filter (where e.enabled and not e.paused and l.failing_since is not null)::int as failing,
         count(*) filter (where not e.enabled)::int as disabled
       from webhooks.endpoints e join webhooks.lanes l on l.tenant_id = e.tenant_id and l.webhook_id = e.id`,
    );
    return rows[0];
  }
}
