import { Injectable } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { BulkAppender, type BulkStream } from '#event-store/append/append-bulk';
import { ClosedTenants } from '#event-store/closed-tenants';
import { EventStore } from '#event-store/event-store';
import type { Folded } from '#event-store/events';
import { at } from '#event-store/load';
import { Loader } from '#event-store/loader';
import { conflict, DomainError, invalid } from '#kernel/errors';
import { type Kind, toId } from '#kernel/ids';
import { checkName } from '#kernel/names';
import { type RegisteredTenant, Tenants } from '#platform/auth/tenants';
import type { TenantRef } from '#platform/request-context';
import { inCurrency, RateSet, type RateSetState } from '../rate-sets/rate-set.lookup';
import { operatorContext } from './operator.lookup';
import { createStartData } from './start-data';
import { changeSettings, newTenant, Tenant, type TenantState } from './tenant';

export { operatorContext };

/** The kinds of records that have days in the tenant's zone and amounts in its base currency. */
const ENTRIES: readonly Kind[] = ['workitem', 'costrecovery', 'invoice'];

/** The operator's commands on tenants. A tenant's settings are a stream, like any other record. */
@Injectable()
export class TenantSetup {
  constructor(
    private readonly tenants: Tenants,
    private readonly store: EventStore,
    private readonly loader: Loader,
    private readonly bulk: BulkAppender,
    private readonly closed: ClosedTenants,
  ) {}

  /**
   * Creates a tenant with its settings and start data. Called again after a crash, it completes the tenant.
   * @throws DomainError name_invalid, alias_invalid, alias_reserved, alias_taken, region_mismatch
   */
  async create(given: { alias: string; name: string; region?: string }): Promise<RegisteredTenant> {
    // before the alias is taken
    checkName(given.name);
    if (given.alias.includes('--'))
      throw invalid(
        'alias_reserved',
        'An alias cannot have two dashes together: such aliases are for the staging tenants of imports.',
        'alias',
      );
    const tenant = await this.registered(given);
    const context = operatorContext(tenant);
    const created = this.store.execute(
      context,
      async (work) => {
        const settings = work.create(
          Tenant,
          toId('tenant', tenant.streamId),
          newTenant(given.name, tenant.region),
        );
        await createStartData(work, settings.data);
        return settings;
      },
      { source: 'cli' },
    );
    await created.catch(async (error) => {
      // Another call was first, and so has the alias.
      if (error instanceof DomainError && error.code === 'concurrent_update') await this.registered(given);
      throw error;
    });
    return tenant;
  }

  /** All tenants by alias, with their firms' names; null for a tenant that a crash has left without settings. */
  async list(): Promise<(RegisteredTenant & { name: string | null })[]> {
    const tenants = await this.tenants.list();
    return Promise.all(
      tenants.map(async (tenant) => {
        const settings = at(Tenant, toId('tenant', tenant.streamId));
        const [found] = await this.loader.load(tenant.id, [settings]);
        return { ...tenant, name: found?.data.firmName ?? null };
      }),
    );
  }

  /**
   * Changes settings; rate sets without entries take a new base currency. The append is a bulk one, which lets no other append
   * of the tenant happen meanwhile: no guard could tell it that the tenant's first entry, or a rate set, is made after it was
   * asked for.
   * @throws DomainError tenant_not_found, tenant_incomplete, unknown_setting, invalid_setting, setting_fixed,
   * promotion_in_progress, concurrent_update
   */
  async set(alias: string, given: Record<string, string>): Promise<TenantState> {
    const tenant = await this.tenants.get(alias);
    const id = toId('tenant', tenant.streamId);
    const [before] = await this.loader.load(tenant.id, [at(Tenant, id)]);
    if (!before)
      throw conflict(
        'tenant_incomplete',
        `The creation of the tenant ${alias} was broken off. Complete it first: tenants create --alias ${alias} --name N`,
      );
    const { data } = before;
    const events = changeSettings(data, given, false);
    const after = events.reduce<TenantState>((state, event) => Tenant.evolve(state, event), data);
    const sets = given.currency === undefined ? [] : await this.rateSets(tenant);
    const streams: BulkStream[] = [
      { definition: Tenant, id, before, events },
      ...sets.map((set) => ({
        definition: RateSet,
        id: set.id,
        before: set,
        events: inCurrency(set.data, after.currency),
      })),
    ];
    await this.bulk.append(operatorContext(tenant), streams, 'cli', {
      within: async (client) => {
        await this.closed.requireOpen(tenant.id, client);
        changeSettings(data, given, await isEntered(client, tenant));
        if (given.currency !== undefined && (await this.rateSets(tenant)).length !== sets.length)
          throw conflict('concurrent_update', 'A rate set was made meanwhile; try again.');
      },
    });
    return after;
  }

  /** All rate sets of a tenant, deleted ones included. */
  private async rateSets({ id }: TenantRef): Promise<Folded<RateSetState>[]> {
    const ids = await this.loader.idsOf(id, 'rateset');
    const sets = await this.loader.load(
      id,
      ids.map((one) => at(RateSet, one)),
    );
    return sets.filter((set) => set !== undefined);
  }

  /** Registers a tenant. A registered one without settings, which a crash has left, is reused. */
  private async registered(given: { alias: string; region?: string }): Promise<RegisteredTenant> {
    try {
      return await this.tenants.register(given);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'alias_taken') throw error;
      const tenant = await this.tenants.get(given.alias);
      const settings = await this.loader.foldEvents(Tenant, tenant.id, tenant.streamId);
      if (settings) throw error;
      return tenant;
    }
  }
}

async function isEntered(client: ClientBase, { id }: TenantRef): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    'select exists (select from event_store.streams where tenant_id = $1 and kind = any($2)) as found',
    [id, ENTRIES],
  );
  return rows[0].found;
}
