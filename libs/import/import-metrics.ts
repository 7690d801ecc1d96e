import { Injectable, type OnModuleInit } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import { leaseOver } from '#platform/database/lease-over';
import { registerGauge } from '#platform/observability/gauge';
import { ImportSettings } from './import-settings';
import { live } from './requests/import-request';

/** The gauges of the queue of imports on `/metrics`; turn-metrics.ts has those of the workers' turns. */
@Injectable()
export class ImportMetrics implements OnModuleInit {
  constructor(
    private readonly database: WriteDatabase,
    private readonly settings: ImportSettings,
  ) {}

  onModuleInit(): void {
    registerGauge(
      'imports',
      'Imports and promotions that are under way, by status, as the API names it.',
      ['state'],
      async (set) => {
        const { rows } = await this.database.pool.query<{ status: string; count: number }>(
          'select status, count(*)::int as count from import.requests where status = any($1) group by status',
          [live],
        );
        const counts = new Map(rows.map(({ status, count }) => [status, count]));
        for (const status of live) set(counts.get(status) ?? 0, status);
      },
    );
    registerGauge(
      'import_waiting_seconds',
      'For how long the import or promotion that no worker holds has been waiting, of several the longest; 0 when none is.',
      [],
      async (set) => set(await this.waiting()),
    );
    registerGauge(
      'import_writes_closed_seconds',
      'For how long a tenant has taken no writes because of a promotion, of several the longest; 0 when all take writes.',
      [],
      async (set) => set(await this.closed()),
    );
  }

  private async waiting(): Promise<number> {
    const { rows } = await this.database.pool.query<{ seconds: number | null }>(
      `select extract(epoch from max(now() - updated_at))::float8 as seconds from import.requests
       where status = any($1) and (leased_by is null or ${leaseOver('leased_until', '$2')})`,
      [live, this.settings.leaseMs],
    );
    return Math.max(0, rows[0].seconds ?? 0);
  }

  private async closed(): Promise<number> {
    const { rows } = await this.database.pool.query<{ seconds: number | null }>(
      `select extract(epoch from max(now() - since))::float8 as seconds from event_store.closed_tenants
       where reason = 'promotion_in_progress'`,
    );
    return Math.max(0, rows[0].seconds ?? 0);
  }
}
