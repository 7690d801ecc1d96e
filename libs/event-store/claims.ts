import { createHash } from 'node:crypto';

/** Advisory lock number of a stream: the low half of its UUID, which is random in version 7 and hashed in version 5. */
export function streamClaim(streamId: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${streamId.slice(19).replace('-', '')}`));
}

/** Advisory lock number of a named thing: a tenant, a natural key, a counter, an idempotency key. */
export function nameClaim(...name: (string | number)[]): bigint {
  return createHash('sha256').update(JSON.stringify(name)).digest().readBigInt64BE(0);
}

const tenantClaims = new Map<number, bigint>();

/**
 * Advisory lock number of a tenant. Every append of the tenant holds the lock shared, a bulk append holds it
 * exclusively.
 */
export function tenantClaim(tenantId: number): bigint {
  let claim = tenantClaims.get(tenantId);
  if (claim === undefined) {
    claim = nameClaim('tenant', tenantId);
    tenantClaims.set(tenantId, claim);
  }
  return claim;
}
