import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DatabaseError, type QueryResult } from 'pg';
import { v7 } from 'uuid';
import { conflict, DomainError, invalid } from '#kernel/errors';
import { checkName } from '#kernel/names';
import { WriteDatabase } from '#platform/database';
import { allPermissions, isPermission } from './permissions';
import { hashSecret, newSecret } from './secret-hash';
import { holdGrants, shownOf, stagingOf, stagingPermissions } from './staging-grants';
import { type RegisteredTenant, Tenants } from './tenants';

/** The grant of a tenant to an integration: permissions, and a number of requests in a period of seconds. */
interface Grant {
  tenant: string;
  permissions: string[];
  limit: number;
  period: number;
}

/** The key of an integration: its client id, or its name when no other integration has that name. */
export type IntegrationKey = { clientId: string } | { name: string };

interface ListedIntegration {
  integrationId: string;
  clientId: string;
  name: string;
  createdAt: Date;
  revokedAt: Date | null;
  grants: Grant[];
}

export type GrantTerms = { tenant: string } & Partial<Omit<Grant, 'tenant'>>;

export type CreatedIntegration = {
  integrationId: string;
  clientId: string;
  clientSecret: string;
  name: string;
} & Grant;

type StoredTerms = Omit<Grant, 'tenant'>;
const uniqueViolation = '23505';

const INTO_GRANTS =
  'insert into platform.grants as g (tenant_id, integration_id, permissions, request_limit, period_seconds)';
const AS_GRANTED = `select s.id, n.integration_id, ${stagingPermissions('n.permissions')}, n.request_limit, n.period_seconds from granted n`;
const TERMS = 'permissions, request_limit as "limit", period_seconds as "period"';

/** Integrations, their secrets, and the tenants' grants to them. A change takes effect within 30 s in every process. */
@Injectable()
export class Integrations {
  constructor(
    private readonly database: WriteDatabase,
    private readonly tenants: Tenants,
  ) {}

  /**
   * Makes an integration and its first grant: by default all permissions, and 100 requests in 60 s.
   * @returns the secret too, which is stored only as a hash and cannot be shown again
   * @throws DomainError tenant_not_found, permission_unknown, limit_invalid, name_invalid, client_id_invalid,
   * client_id_taken
   */
  async create(
    terms: GrantTerms & { name: string; clientId?: string; clientSecret?: string },
  ): Promise<CreatedIntegration> {
    const { name, clientId = randomUUID(), clientSecret = newSecret() } = terms;
    checkName(name);
    // RFC 6749, appendix A: client_id and client_secret are *VSCHAR
    if (!/^[\x20-\x7e]{1,200}$/.test(clientId) || !/^[\x20-\x7e]{1,200}$/.test(clientSecret))
      throw invalid('client_id_invalid', 'Client id and secret have 1 to 200 printable ASCII characters.');
    const { tenant, permissions = allPermissions } = await this.check(terms);
    const integrationId = v7();
    const secret = await hashSecret(clientSecret);
    const { rows } = await this.change<StoredTerms>(
      tenant,
      `with made as (insert into platform.integrations (id, client_id, name, secret_hash) values ($1, $2, $3, $4)),
         granted as (${INTO_GRANTS} values ($5, $1, $6, coalesce($7, 100), coalesce($8, 60)) returning g.*),
         staging as (${INTO_GRANTS} ${AS_GRANTED} cross join (${shownOf('$5')}) s)
       select ${TERMS} from granted`,
      [integrationId, clientId, name, secret, tenant.id, permissions, terms.limit, terms.period],
    ).catch((error) => {
      if (error instanceof DatabaseError && error.code === uniqueViolation)
        throw conflict('client_id_taken', `The client id ${clientId} exists already.`);
      throw error;
    });
    return { integrationId, clientId, clientSecret, name, tenant: tenant.alias, ...rows[0] };
  }

  /**
   * Grants an integration access to a tenant, or changes its grant. Terms that are not given stay as they are: the
   * limits of any earlier grant, and the permissions of a grant in force. A new grant, or one that was revoked, gets
   * all permissions, and a grant in the staging tenant too. A grant in force in the staging tenant never gets more
   * permissions than it has.
   * @throws DomainError integration_not_found, integration_ambiguous, integration_revoked, tenant_not_found,
   * permission_unknown, limit_invalid
   */
  async grant(key: IntegrationKey, terms: GrantTerms): Promise<Grant> {
    const { id } = await this.findStanding(key);
    const { tenant, permissions } = await this.check(terms);
    const { rows } = await this.change<StoredTerms>(
      tenant,
      `with before as (
         select from platform.grants where tenant_id = $1 and integration_id = $2 and revoked_at is null),
       granted as (
         ${INTO_GRANTS} values ($1, $2, coalesce($3, $6::text[]), coalesce($4, 100), coalesce($5, 60))
         on conflict (tenant_id, integration_id) do update set
           permissions = case when $3 is null and g.revoked_at is null then g.permissions else excluded.permissions end,
           granted_at = now(), revoked_at = null,
           request_limit = coalesce($4, g.request_limit), period_seconds = coalesce($5, g.period_seconds)
         returning g.*),
       staging as (
         ${INTO_GRANTS} ${AS_GRANTED} cross join (${shownOf('$1')}) s
         on conflict (tenant_id, integration_id) do update set
           permissions = case when exists (select from before) then array(
             select p from unnest(g.permissions) with ordinality u(p, n) where p = any(excluded.permissions) order by n)
             else excluded.permissions end,
           revoked_at = case when exists (select from before) then g.revoked_at end)
       select ${TERMS} from granted`,
      [tenant.id, id, permissions, terms.limit, terms.period, allPermissions],
    );
    return { tenant: tenant.alias, ...rows[0] };
  }

  /** Revokes an integration's grant in a tenant. @throws DomainError as `grant`, or grant_not_found */
  async revoke(key: IntegrationKey, tenantAlias: string): Promise<void> {
    const [{ id }, tenant] = await Promise.all([this.find(key), this.tenants.get(tenantAlias)]);
    const { rowCount } = await this.change(
      tenant,
      `update platform.grants set revoked_at = now()
       where (tenant_id = $1 or tenant_id in (${stagingOf('$1')})) and integration_id = $2 and revoked_at is null`,
      [tenant.id, id],
    );
    if (rowCount === 0)
      throw new DomainError(
        'not_found',
        'grant_not_found',
        `The integration has no grant in ${tenantAlias}.`,
      );
  }

  /** Revokes an integration in every tenant, for good: it gets no more tokens, and its tokens are refused. */
  async revokeEverywhere(key: IntegrationKey): Promise<void> {
    const { id } = await this.find(key);
    await this.database.pool.query(
      'update platform.integrations set revoked_at = coalesce(revoked_at, now()) where id = $1',
      [id],
    );
  }

  /**
   * A new secret; the old one gets no tokens from now on.
   * @throws DomainError integration_not_found, integration_ambiguous; integration_revoked: no secret gets it tokens
   */
  async rotateSecret(key: IntegrationKey): Promise<{ clientId: string; clientSecret: string }> {
    const { id, clientId } = await this.findStanding(key);
    const clientSecret = newSecret();
    await this.database.pool.query('update platform.integrations set secret_hash = $2 where id = $1', [
      id,
      await hashSecret(clientSecret),
    ]);
    return { clientId, clientSecret };
  }

  /** All integrations with their grants in force, by name. */
  async list(): Promise<ListedIntegration[]> {
    const { rows } = await this.database.pool.query<ListedIntegration>(
      `select i.id as "integrationId", i.client_id as "clientId", i.name,
              i.created_at as "createdAt", i.revoked_at as "revokedAt",
              coalesce(json_agg(json_build_object(
                'tenant', t.alias, 'permissions', g.permissions, 'limit', g.request_limit, 'period', g.period_seconds
              ) order by t.alias) filter (where t.id is not null), '[]') as grants
       from platform.integrations i
       left join platform.grants g on g.integration_id = i.id and g.revoked_at is null
       left join platform.tenants t on t.id = g.tenant_id
       group by i.id order by i.name, i.client_id`,
    );
    return rows;
  }

  private change<Row extends object>(
    tenant: RegisteredTenant,
    sql: string,
    values: unknown[],
  ): Promise<QueryResult<Row>> {
    return this.database.transaction(async (client) => {
      await holdGrants(client, tenant);
      return client.query<Row>(sql, values);
    });
  }

  private async check(terms: GrantTerms): Promise<{ tenant: RegisteredTenant; permissions?: string[] }> {
    const { limit, period } = terms;
    const permissions = terms.permissions && [...new Set(terms.permissions)];
    const unknown = permissions?.find((permission) => !isPermission(permission));
    if (unknown !== undefined)
      throw invalid('permission_unknown', `There is no permission "${unknown}".`, 'permissions');
    for (const value of [limit, period])
      if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= 1_000_000_000))
        throw invalid('limit_invalid', 'A limit and its period are whole numbers from 1 to 1000000000.');
    return { tenant: await this.tenants.get(terms.tenant), permissions };
  }

  private async findStanding(key: IntegrationKey): Promise<{ id: string; clientId: string }> {
    const { revoked, ...found } = await this.find(key);
    if (revoked) throw conflict('integration_revoked', 'The integration is revoked everywhere.');
    return found;
  }

  private async find(key: IntegrationKey): Promise<{ id: string; clientId: string; revoked: boolean }> {
    const [column, value] = 'clientId' in key ? ['client_id', key.clientId] : ['name', key.name];
    const { rows } = await this.database.pool.query<{ id: string; clientId: string; revoked: boolean }>(
      `select id, client_id as "clientId", revoked_at is not null as revoked
       from platform.integrations where ${column} = $1`,
      [value],
    );
    if (rows.length === 0)
      throw new DomainError('not_found', 'integration_not_found', `There is no integration ${value}.`);
    if (rows.length > 1)
      throw conflict(
        'integration_ambiguous',
        `${rows.length} integrations are named ${value}: give the client id.`,
      );
    return rows[0];
  }
}
