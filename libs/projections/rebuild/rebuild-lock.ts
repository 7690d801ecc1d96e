import type { ClientBase } from 'pg';
import { conflict, type DomainError } from '#kernel/errors';

/** Tries to lock the projection's generations. Until the session ends nobody else may change them. */
export function lockGenerations(client: ClientBase, projection: string): Promise<boolean> {
  return tryLock(client, `rebuild ${projection}`);
}

/**
 * Tries to lock filling the tenant's read models. The lock lasts until this session and all that share it have ended.
 */
export async function lockFill(client: ClientBase, tenantId: number): Promise<boolean> {
  if (!(await tryLock(client, fillOf(tenantId)))) return false;
  await shareFill(client, tenantId);
  await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [fillOf(tenantId)]);
  return true;
}

/**
 * Shares the lock with another session of the process that fills. The session with the lock must still exist
 * afterwards.
 */
export async function shareFill(client: ClientBase, tenantId: number): Promise<void> {
  await client.query('select pg_advisory_lock_shared(hashtextextended($1, 0))', [fillOf(tenantId)]);
}

const fillOf = (tenantId: number) => `fill ${tenantId}`;

/** Until the transaction ends, no further tenant of the projection is held, and no generation of it is begun. */
export async function lockHolds(client: ClientBase, projection: string): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('hold ' || $1, 0))`, [projection]);
}

/**
 * Refuses a rebuild of a held tenant.
 * @param tenantId the rebuild's tenant; 0: all tenants
 * @throws DomainError tenant_held
 */
export async function refuseHeld(client: ClientBase, projection: string, tenantId: number): Promise<void> {
  const { rows } = await client.query(
    'select from read_model.held where projection = $1 and $2 in (0, tenant_id) limit 1',
    [projection, tenantId],
  );
  if (rows.length > 0) throw tenantHeld(projection);
}

export function tenantHeld(projection: string): DomainError {
  return conflict(
    'tenant_held',
    `A tenant's ${projection} stand still until what is being imported is complete.`,
  );
}

export function rebuildRunning(projection: string): DomainError {
  return conflict('rebuild_running', `${projection} is being rebuilt already.`);
}

async function tryLock(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
    [name],
  );
  return rows[0].locked;
}
