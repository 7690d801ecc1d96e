import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { leaseOver } from '#platform/database/lease-over';
import { endpointKey } from '../../queue/delivery';
import { DeliverySettings } from '../delivery-settings';
import { QueuePools } from '../queue-pools';
import { FARTHEST_MS } from './breaker';
import { Lane } from './lane';
import type { LaneConfig } from './lane-config';

/**
 * Columns of a LaneConfig. A webhook whose integration's grant was revoked is sent nothing, and no webhook is sent what
 * the token that last set it might not read.
 */
const CONFIG = `l.tenant_id, l.webhook_id, t.alias, t.partition, e.created_at, e.url, e.payload_mode, e.secret, e.former_secrets,
  coalesce((select array(select p from unnest(g.permissions) p where e.scope is null or p = any(e.scope))
    from platform.grants g join platform.integrations i on i.id = g.integration_id
    where g.tenant_id = e.tenant_id and g.integration_id = e.integration_id
      and g.revoked_at is null and i.revoked_at is null), '{}') as permissions,
  (select (r.at).epoch || '.' || (r.at).transaction_id || '.' || (r.at).position
    from event_store.last_erasures r where r.tenant_id = e.tenant_id) as erased_at,
  e.enabled and not e.paused as active, e.disabled_at, l.failures, l.open_until, l.failing_since`;
/** Of a breaker, as in breaker.ts. */
const FARTHEST = `${FARTHEST_MS} * interval '1 millisecond'`;
const JOINED = `webhooks.endpoints e join platform.tenants t on t.id = e.tenant_id`;

/**
 * The leases that decide which worker serves which endpoint: one worker at a time, so that an endpoint's limits hold
 * across all workers. A lease that is not renewed expires, and with it the claim of a worker that died.
 */
@Injectable()
export class LaneLeases {
  readonly worker = randomUUID();

  constructor(
    private readonly pools: QueuePools,
    private readonly settings: DeliverySettings,
  ) {}

  /**
   * Takes endpoints that have something to send and that no worker serves.
   * @param only the keys to choose from; without them, all endpoints
   */
  async take(now: Date, limit: number, only?: readonly string[]): Promise<Lane[]> {
    const leasedUntil = this.leasedUntil();
    // The statement for named endpoints is separate, so that each is found by its key, however many endpoints there
    // are. `offset 0` makes PostgreSQL ask for each endpoint whether a delivery waits: the planner took all waiting
    // deliveries for next to none, and scanned them.
    const named =
      only &&
      'join unnest($5::int[], $6::uuid[]) as w(tenant_id, id) on w.tenant_id = e.tenant_id and w.id = e.id';
    const { rows } = await this.pools.queue.query<LaneConfig>({
      name: named ? 'webhooks.take.named' : 'webhooks.take',
      text: `
        with due as (
          select l.tenant_id, l.webhook_id
          from webhooks.lanes l join webhooks.endpoints e on e.tenant_id = l.tenant_id and e.id = l.webhook_id
            ${named ?? ''}
          where e.enabled and not e.paused
            and ${leaseOver('l.leased_until', '$4')}
            and coalesce(l.open_until <= $2 or l.open_until > $2 + ${FARTHEST}, true)
            and exists (select from webhooks.deliveries d where d.tenant_id = l.tenant_id
              and d.webhook_id = l.webhook_id and d.state = 0 and d.due_at <= $2 offset 0)
          limit $3 for update of l skip locked
        )
        update webhooks.lanes l
        set leased_by = $1, leased_until = clock_timestamp() + $4 * interval '1 millisecond'
        from due, ${JOINED}
        where (l.tenant_id, l.webhook_id) = (due.tenant_id, due.webhook_id)
          and e.tenant_id = l.tenant_id and e.id = l.webhook_id
        returning ${CONFIG}`,
      values: [this.worker, now, limit, this.settings.leaseMs, ...(only ? keysOf(only) : [])],
    });
    return rows.map((config) => new Lane(this.settings, config, leasedUntil));
  }

  /** Renews leases, and takes over the endpoints' current settings. @returns lanes whose lease is lost */
  async renew(lanes: readonly Lane[]): Promise<Lane[]> {
    const leasedUntil = this.leasedUntil();
    const { rows } = await this.pools.queue.query<LaneConfig>({
      name: 'webhooks.renew',
      text: `
        update webhooks.lanes l set leased_until = clock_timestamp() + $4 * interval '1 millisecond'
        from unnest($2::int[], $3::uuid[]) as w(tenant_id, webhook_id), ${JOINED}
        where (l.tenant_id, l.webhook_id) = (w.tenant_id, w.webhook_id) and l.leased_by = $1
          and e.tenant_id = l.tenant_id and e.id = l.webhook_id
        returning ${CONFIG}`,
      values: [this.worker, ...namesOf(lanes), this.settings.leaseMs],
    });
    const known = new Map(rows.map((config) => [endpointKey(config), config]));
    return lanes.filter((lane) => {
      const config = known.get(lane.key);
      if (config) lane.reconfigure(config, leasedUntil);
      return !config;
    });
  }

  async release(lanes: readonly Lane[]): Promise<void> {
    if (lanes.length === 0) return;
    await this.pools.queue.query(
      `update webhooks.lanes l set leased_by = null, leased_until = null
       from unnest($2::int[], $3::uuid[]) as w(tenant_id, webhook_id)
       where (l.tenant_id, l.webhook_id) = (w.tenant_id, w.webhook_id) and l.leased_by = $1`,
      [this.worker, ...namesOf(lanes)],
    );
  }

  /** A little less than the database grants: this worker counts from when it asks, on performance.now. */
  private leasedUntil(): number {
    return performance.now() + this.settings.leaseMs * 0.9;
  }
}

/** @param keys as endpointKey writes them */
function keysOf(keys: readonly string[]): [string[], string[]] {
  const parts = keys.map((key) => key.split('/'));
  return [parts.map(([tenant]) => tenant), parts.map(([, webhook]) => webhook)];
}

function namesOf(lanes: readonly Lane[]): [number[], string[]] {
  return [lanes.map(({ config }) => config.tenant_id), lanes.map(({ config }) => config.webhook_id)];
}
