import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { v7 } from 'uuid';
import { conflict, DomainError, invalid } from '#kernel/errors';
import type { Region } from '#platform/config';
import { WriteDatabase } from '#platform/database';
import type { TenantRef } from '#platform/request-context';
import { Installation } from './installation';

export interface RegisteredTenant extends TenantRef {
  region: Region;
  createdAt: Date;
}

/** SQL: the columns of a RegisteredTenant. @param t alias of `platform.tenants` in the query */
export const tenantColumns = (t: string) =>
  `${t}.id, ${t}.alias, ${t}.region, ${t}.partition, ${t}.stream_id as "streamId", ${t}.created_at as "createdAt"`;

/** An alias: the part of an address that names a tenant. */
export const aliasPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** First parts of addresses that belong to no tenant. */
const reserved = new Set(['docs', 'health', 'metrics', 'oauth2']);

/** The registry of this deployment's tenants. A tenant's settings are in a stream of its own. */
@Injectable()
export class Tenants {
  constructor(
    private readonly database: WriteDatabase,
    private readonly installation: Installation,
  ) {}

  /**
   * Adds a tenant to the registry; the caller appends its settings to `streamId`.
   * @param client a connection with an open transaction, if the row must be part of it
   * @throws DomainError alias_invalid, alias_reserved, alias_taken, region_mismatch
   */
  async register(
    { alias, region = this.installation.region }: { alias: string; region?: string },
    client: Pool | PoolClient = this.database.pool,
  ): Promise<RegisteredTenant> {
    if (!aliasPattern.test(alias))
      throw invalid(
        'alias_invalid',
        'An alias has 1 to 63 lowercase letters, digits and dashes, with no dash at either end.',
        'alias',
      );
    if (reserved.has(alias))
      throw invalid('alias_reserved', `/${alias} is an address of the service itself.`, 'alias');
    if (region !== this.installation.region)
      throw invalid(
        'region_mismatch',
        `This deployment serves region ${this.installation.region}; a tenant cannot be of region ${region}.`,
        'region',
      );
    const { rows } = await client.query<RegisteredTenant>(
      `insert into platform.tenants as t (alias, region, partition, stream_id) values ($1, $2, $3, $4)
       on conflict (alias) do nothing returning ${tenantColumns('t')}`,
      [alias, region, partitionOf(alias, this.installation.partitions), v7()],
    );
    if (rows.length === 0) throw conflict('alias_taken', `A tenant with the alias ${alias} exists already.`);
    return rows[0];
  }

  /** @throws DomainError tenant_not_found */
  async get(alias: string): Promise<RegisteredTenant> {
    const { rows } = await this.database.pool.query<RegisteredTenant>(
      `select ${tenantColumns('t')} from platform.tenants t where t.alias = $1`,
      [alias],
    );
    if (rows.length === 0) throw tenantNotFound(alias);
    return rows[0];
  }

  /**
   * The tenant with that alias, or all of them.
   * @throws DomainError tenant_not_found
   */
  async chosen(alias?: string): Promise<RegisteredTenant[]> {
    return alias === undefined ? this.list() : [await this.get(alias)];
  }

  /** All tenants by alias. */
  async list(): Promise<RegisteredTenant[]> {
    const { rows } = await this.database.pool.query<RegisteredTenant>(
      `select ${tenantColumns('t')} from platform.tenants t order by t.alias`,
    );
    return rows;
  }
}

export function tenantNotFound(alias: string): DomainError {
  return new DomainError('not_found', 'tenant_not_found', `There is no tenant with the alias ${alias}.`);
}

/**
 * The feed's partition of a tenant. It never changes, as it depends on the alias and the number of partitions alone.
 */
export function partitionOf(alias: string, partitions: number): number {
  return createHash('sha256').update(alias).digest().readUInt32BE() % partitions;
}
