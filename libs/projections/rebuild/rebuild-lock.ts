import type { ClientBase } from 'pg';
import { conflict, type DomainError } from '#kernel/errors';

/** Whether the session may change the projection's generations now; until it ends nobody else may. */
export function lockGenerations(client: ClientBase, projection: string): Promise<boolean> {
  return tryLock(client, `rebuild ${projection}`);
}

/** Whether nobody else fills the tenant's read models; until the session, and all that share it, end nobody does. */
export async function lockFill(client: ClientBase, tenantId: number): Promise<boolean> {
  if (!(await tryLock(client, fillOf(tenantId)))) return false;
  await shareFill(client, tenantId);
  await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [fillOf(tenantId)]);
  return true;
}

/** The same of another session of whoever fills them; the one that has the lock must still be there afterwards. */
export async function shareFill(client: ClientBase, tenantId: number): Promise<void> {
  await client.query('select pg_advisory_lock_shared(hashtextextended($1, 0))', [fillOf(tenantId)]);
}

const fillOf = (tenantId: number) => `fill ${tenantId}`;

/** Until the transaction ends no tenant of the projection is held anew, and no generation of it begun. */
export async function lockHolds(client: ClientBase, projection: string): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('hold ' || $1, 0))`, [projection]);
}

/**
 * @param tenantId of the rebuild; 0: all tenants
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
