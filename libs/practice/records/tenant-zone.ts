import type { Pool } from 'pg';
import { DomainError } from '#kernel/errors';
import { live } from '#projections/live';

/**
 * The time zone in which a tenant's days are, as the read models have it.
 * @throws DomainError `tenant_not_ready` (503) of a tenant that was made this moment
 */
export async function zoneOf(reads: Pick<Pool, 'query'>, tenantId: number): Promise<string> {
  const { rows } = await reads.query<{ zone: string }>(
    `select t.time_zone as zone from read_model.tenants t where ${live('tenants', 't', '$1')}`,
    [tenantId],
  );
  if (rows[0]) return rows[0].zone;
  const detail = "The tenant's settings are not readable yet.";
  throw new DomainError('unavailable', 'tenant_not_ready', detail, [], { 'Retry-After': '1' });
}
