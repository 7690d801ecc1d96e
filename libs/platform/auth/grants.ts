import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { WriteDatabase } from '#platform/database';
import type { TenantRef } from '#platform/request-context';
import { aliasPattern } from './tenants';

/** The current grant of a tenant to an integration. */
interface EffectiveGrant {
  tenant: TenantRef;
  permissions: ReadonlySet<string>;
  limit: number;
  period: number;
}

interface Row {
  id: number;
  partition: number;
  streamId: string;
  permissions: string[];
  limit: number;
  period: number;
}

type Lookup = { integrationId: string; alias: string };

/**
 * How long a grant is cached. The time counts from the end of a query that may take 10 s: a change takes effect within
 * 30 s.
 */
const freshForMs = 20_000;
const refusalFreshForMs = 5_000;

/** Part of the aliases of imports' staging tenants, and of no others. */
const STAGING = '--';

/** Grants, cached in this process for a while. Concurrent lookups of one grant share a query. */
@Injectable()
export class Grants {
  private readonly cache: LRUCache<string, EffectiveGrant | 'none', Lookup>;

  constructor(private readonly database: WriteDatabase) {
    this.cache = new LRUCache<string, EffectiveGrant | 'none', Lookup>({
      max: 10_000,
      ttl: freshForMs,
      ttlResolution: 0,
      fetchMethod: async (_key, _stale, { context, options }) => {
        const grant = await this.read(context);
        if (!grant) options.ttl = refusalFreshForMs;
        return grant ?? 'none';
      },
    });
  }

  /** Undefined when there is no such tenant, no grant, or a revoked one: a caller cannot tell which. */
  async find(integrationId: string, alias: string): Promise<EffectiveGrant | undefined> {
    if (!aliasPattern.test(alias)) return undefined;
    // The alias of a staging tenant passes to another tenant with each import: a cached grant would be that of the
    // former one.
    if (alias.includes(STAGING)) return this.read({ integrationId, alias });
    const key = `${integrationId}/${alias}`;
    const grant = this.cache.get(key) ?? (await this.cache.fetch(key, { context: { integrationId, alias } }));
    return grant === 'none' ? undefined : grant;
  }

  private async read({ integrationId, alias }: Lookup): Promise<EffectiveGrant | undefined> {
    const { rows } = await this.database.pool.query<Row>({
      name: 'effective-grant',
      text: `select t.id, t.partition, t.stream_id as "streamId",
                    g.permissions, g.request_limit as "limit", g.period_seconds as "period"
             from platform.tenants t
             join platform.grants g on g.tenant_id = t.id
             join platform.integrations i on i.id = g.integration_id
             where t.alias = $1 and i.id = $2 and g.revoked_at is null and i.revoked_at is null`,
      values: [alias, integrationId],
    });
    if (rows.length === 0) return undefined;
    const [{ id, partition, streamId, permissions, limit, period }] = rows;
    return { tenant: { id, alias, partition, streamId }, permissions: new Set(permissions), limit, period };
  }
}
