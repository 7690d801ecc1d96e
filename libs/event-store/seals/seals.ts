import { Injectable } from '@nestjs/common';
import type { ClientBase, Pool } from 'pg';
import { Feed } from '#event-store/feed';
import { tenantNotFound } from '#platform/auth/tenants';
import { WriteDatabase } from '#platform/database';

/** Maximum number of events of a partition that one transaction seals: it holds the feed back while it writes. */
export const SEALED_AT_ONCE = 1_000;

/** A tenant's latest seal. If it is kept elsewhere, it proves later that no event up to it was rewritten. */
export interface SealHead {
  /** Alias of the tenant. Another tenant may get the alias later: the alias of a staging tenant is handed on. */
  tenant: string;
  /** Number of the tenant, which never changes. */
  tenantId: number;
  /** Number of the block, from 1. */
  number: number;
  /** SHA-256 in hexadecimal. */
  seal: string;
  /** Position of the block's last event in the feed: `epoch.transactionId.position`. */
  position: string;
  /** Number of the tenant's events that are sealed so far. */
  events: number;
  sealedOn: Date;
}

/**
 * Seals the next events of a partition that the feed shows, one block per tenant.
 * @returns how many events were read (fewer than SEALED_AT_ONCE: there are no more for now), and how many got a seal
 */
export async function sealNext(
  client: ClientBase | Pool,
  partition: number,
): Promise<{ read: number; sealed: number }> {
  const { rows } = await client.query<{ read: number; sealed: number }>({
    name: 'event_store.seal',
    text: 'select read, sealed from event_store.seal($1, $2)',
    values: [partition, SEALED_AT_ONCE],
  });
  return rows[0];
}

/** Reads and extends the chains of seals, one per tenant. */
@Injectable()
export class Seals {
  constructor(
    private readonly database: WriteDatabase,
    private readonly feed: Feed,
  ) {}

  /**
   * Seals all events that the feed shows, beside the background job that does so slowly.
   * @returns how many events got a seal
   */
  async sealNow(): Promise<number> {
    let total = 0;
    for (const partition of await this.feed.partitions()) {
      for (let read = SEALED_AT_ONCE; read === SEALED_AT_ONCE; ) {
        const next = await sealNext(this.database.pool, partition);
        total += next.sealed;
        read = next.read;
      }
    }
    return total;
  }

  /**
   * The latest seals, ordered by alias, of all tenants or of the given one. Tenants without sealed events have none.
   * @throws DomainError tenant_not_found
   */
  async heads(alias?: string): Promise<SealHead[]> {
    const { rows } = await this.database.pool.query<SealHead | (SealHead & { number: null })>(
      `select t.alias as tenant, t.id as "tenantId", s.number, encode(s.seal, 'hex') as seal,
         (s.up_to).epoch || '.' || (s.up_to).transaction_id || '.' || (s.up_to).position as position,
         (select sum(b.events)::float8 from event_store.seals b where b.tenant_id = t.id) as events,
         s.sealed_at as "sealedOn"
       from platform.tenants t
       left join lateral (
         select * from event_store.seals s where s.tenant_id = t.id order by s.number desc limit 1
       ) s on true
       where $1::text is null or t.alias = $1 order by t.alias`,
      [alias],
    );
    if (alias !== undefined && rows.length === 0) throw tenantNotFound(alias);
    return rows.filter(({ number }) => number !== null);
  }
}
