import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ClientBase, PoolClient } from 'pg';
import { conflict } from '#kernel/errors';
import { holdGrants, stagingPermissions } from '#platform/auth/staging-grants';
import { type RegisteredTenant, Tenants, tenantColumns } from '#platform/auth/tenants';
import { WriteDatabase } from '#platform/database';
import type { TenantCopy } from '#practice/entities/entity.erasures';
import type { ImportRun } from '../import-run';

const SUFFIX = '--staging';
/** The longest alias (63 characters) less the suffix of a staging tenant and the suffix of a retired one, `-<id>`. */
const LONGEST = 63 - SUFFIX.length - '-2147483647'.length;

/** The alias of a tenant's staging tenant: `<alias>--staging`. A very long alias is cut, and eight digits are added. */
export function stagingAlias(alias: string): string {
  if (alias.length <= LONGEST) return `${alias}${SUFFIX}`;
  const digits = createHash('sha256').update(alias).digest('hex').slice(0, 8);
  return `${alias.slice(0, LONGEST - 9)}x${digits}${SUFFIX}`;
}

/** The tenants into which imports are loaded. */
@Injectable()
export class StagingTenants {
  constructor(
    private readonly tenants: Tenants,
    private readonly database: WriteDatabase,
  ) {}

  /**
   * Creates a fresh staging tenant under the staging alias, links it to the request, and retires the former one. It gets
   * copies of its parent's grants, without the permissions for webhooks (a staging tenant sends none) and imports.
   * @throws LeaseLost; DomainError `staging_alias_taken` (409) when a tenant that no import has made has the alias
   */
  open(run: Pick<ImportRun, 'requestId' | 'tenant' | 'owning'>): Promise<RegisteredTenant> {
    const { requestId, tenant } = run;
    // A worker that stood still until another had loaded the import must not retire that one's staging tenant.
    return run.owning(async (client) => {
      const alias = stagingAlias(tenant.alias);
      await holdGrants(client, tenant);
      await retire(client, tenant.id, alias);
      const staging = await this.tenants.register({ alias, region: tenant.region }, client);
      await client.query(
        'update import.requests set staging_tenant_id = $2, updated_at = now() where id = $1',
        [requestId, staging.id],
      );
      await client.query(
        `insert into platform.grants (tenant_id, integration_id, permissions, request_limit, period_seconds)
         select $2, g.integration_id, ${stagingPermissions('g.permissions')}, g.request_limit, g.period_seconds
         from platform.grants g where g.tenant_id = $1 and g.revoked_at is null`,
        [tenant.id, staging.id],
      );
      return staging;
    });
  }

  /** Of the given tenants, those into which no import is being loaded any more. */
  async abandoned(ids: readonly number[]): Promise<RegisteredTenant[]> {
    if (ids.length === 0) return [];
    const { rows } = await this.database.pool.query<RegisteredTenant>(
      `select ${tenantColumns('t')}
       from platform.tenants t where t.id = any($1) and not exists (
         select from import.requests r where r.staging_tenant_id = t.id and r.status = 'Loading')`,
      [ids],
    );
    return rows;
  }

  /**
   * All staging tenants into which nothing is being loaded any more, with their parents. This includes retired ones, to
   * which no request may refer any longer.
   */
  async loaded(): Promise<TenantCopy[]> {
    const { pool } = this.database;
    const parents = await pool.query<{ id: number; alias: string }>(
      'select id, alias from platform.tenants where id in (select tenant_id from import.requests)',
    );
    const { rows } = await pool.query<RegisteredTenant & { original: number }>(
      `select p.id as original, ${tenantColumns('t')} from unnest($1::int[], $2::text[]) p(id, staging)
       join platform.tenants t on t.alias in (p.staging, p.staging || '-' || t.id)
       where not exists (
         select from import.requests r where r.staging_tenant_id = t.id and r.status = 'Loading')`,
      [parents.rows.map(({ id }) => id), parents.rows.map(({ alias }) => stagingAlias(alias))],
    );
    return rows.map(({ original, ...copy }) => ({ original, copy }));
  }
}

/** Retires the staging tenant that has the alias. */
async function retire(client: PoolClient, parent: number, alias: string): Promise<void> {
  const { rows } = await client.query<{ id: number; isStaging: boolean }>(
    `select t.id, exists (
       select from import.requests r where r.staging_tenant_id = t.id and r.tenant_id = $2
     ) as "isStaging"
     from platform.tenants t where t.alias = $1 for update`,
    [alias, parent],
  );
  if (rows.length === 0) return;
  const [{ id, isStaging }] = rows;
  if (!isStaging)
    throw conflict(
      'staging_alias_taken',
      `The import needs the alias ${alias} for its staging tenant, but another tenant has it.`,
    );
  await shut(client, id, alias);
}

/**
 * Retires the staging tenant of an import that failed or was cancelled, as it may contain only a part of the import.
 */
export async function withdrawStaging(client: ClientBase, requestId: string): Promise<void> {
  const { rows } = await client.query<{ staging: number; id: number; alias: string }>(
    `select r.staging_tenant_id as staging, p.id, p.alias
     from import.requests r join platform.tenants p on p.id = r.tenant_id
     where r.id = $1 and r.staging_tenant_id is not null`,
    [requestId],
  );
  for (const { staging, ...parent } of rows) {
    await holdGrants(client, parent);
    const alias = stagingAlias(parent.alias);
    const { rowCount } = await client.query(
      'select from platform.tenants where id = $1 and alias = $2 for update',
      [staging, alias],
    );
    if (rowCount !== 0) await shut(client, staging, alias);
  }
}

/** Renames a staging tenant and revokes its grants. Its records stay, but nobody can read them any more. */
async function shut(client: ClientBase, id: number, alias: string): Promise<void> {
  await client.query('update platform.tenants set alias = $2 where id = $1', [id, `${alias}-${id}`]);
  await client.query(
    'update platform.grants set revoked_at = now() where tenant_id = $1 and revoked_at is null',
    [id],
  );
}
