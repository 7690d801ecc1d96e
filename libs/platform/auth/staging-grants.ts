import type { ClientBase } from 'pg';
import type { TenantRef } from '#platform/request-context';
import { tenantNotFound } from './tenants';

/**
 * SQL: the staging tenants that imports have made of a tenant. They hold the same firm's data: nobody may do more in
 * them.
 */
export const stagingOf = (tenant: string) =>
  `select staging_tenant_id from import.requests where tenant_id = ${tenant}`;

/**
 * SQL: the staging tenants of a tenant that were not put aside. One that was put aside has a number behind its alias.
 */
export const shownOf = (tenant: string) =>
  `select id from platform.tenants where id in (${stagingOf(tenant)}) and alias like '%--staging'`;

/**
 * SQL: the permissions that an integration with these permissions gets in a staging tenant. A staging tenant sends no
 * webhooks, and takes no imports.
 */
export function stagingPermissions(permissions: string): string {
  return `array(select p from unnest(${permissions}) with ordinality u(p, n)
    where p not like 'webhooks:%' and p <> 'etl:write' order by n)`;
}

/**
 * Keeps a tenant's grants from being changed until the transaction ends. A staging tenant gets a copy of them when it
 * is opened, and loses all its grants when it is put aside.
 * @throws DomainError tenant_not_found: the alias belongs to another tenant by now
 */
export async function holdGrants(
  client: ClientBase,
  { id, alias }: Pick<TenantRef, 'id' | 'alias'>,
): Promise<void> {
  const { rowCount } = await client.query(
    'select from platform.tenants where id = $1 and alias = $2 for no key update',
    [id, alias],
  );
  if (rowCount === 0) throw tenantNotFound(alias);
}
