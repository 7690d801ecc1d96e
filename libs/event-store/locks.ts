import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';

/** Advisory lock number of a stream: the low half of its UUID, which is random in version 7 and hashed in version 5. */
export function streamLock(streamId: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${streamId.slice(19).replace('-', '')}`));
}

/** Advisory lock number of a named thing: a tenant, a natural key, a counter, an idempotency key. */
export function nameLock(...name: (string | number)[]): bigint {
  return createHash('sha256').update(JSON.stringify(name)).digest().readBigInt64BE(0);
}

const tenantLocks = new Map<number, bigint>();

/**
 * Advisory lock number of a tenant. Every append of the tenant holds the lock shared, a bulk append holds it
 * exclusively.
 */
export function tenantLock(tenantId: number): bigint {
  let lock = tenantLocks.get(tenantId);
  if (lock === undefined) {
    lock = nameLock('tenant', tenantId);
    tenantLocks.set(tenantId, lock);
  }
  return lock;
}

/** Waits for the appends of a tenant, and keeps others out until the client's transaction ends. */
export async function lockTenant(client: ClientBase, tenantId: number): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [tenantLock(tenantId)]);
}
