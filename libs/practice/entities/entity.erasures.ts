import { Injectable } from '@nestjs/common';
import { ClosedTenants } from '#event-store/closed-tenants';
import { Erasures } from '#event-store/erasures';
import { EventStore } from '#event-store/event-store';
import { DomainError } from '#kernel/errors';
import { toId } from '#kernel/ids';
import { type RegisteredTenant, Tenants } from '#platform/auth/tenants';
import { operatorContext } from '../tenants/operator.lookup';
import { erase } from './entity.anonymise';
import type { EntityEvent } from './entity.events';

/** The erasure of a person's data. A list of these is kept apart from the backups, to repeat the erasures in them. */
export interface Erased {
  /** The tenant's alias. */
  tenant: string;
  /** The entity's id. */
  subject: string;
  /** The instant of the erasure. */
  on: string;
}

/** How many of the listed entities had which outcome, and how many keys were destroyed. */
export interface Replayed {
  /** Entities that were erased now. */
  erased: number;
  /** Entities that had been erased already. */
  already: number;
  /** Entities that are not in this store: created after the backup, or in a tenant that is not in it. */
  absent: number;
  /** Entities that were skipped: in the backup an import is being promoted to their tenant, and may yet create them. */
  waiting: number;
  /** Keys that existed although their subjects are erased, and that were destroyed again. */
  keys: number;
}

/** A tenant that has copies of another tenant's records, under the same ids. */
export interface TenantCopy {
  /** The id of the tenant that the records were copied from. */
  original: number;
  copy: RegisteredTenant;
}

type Anonymised = Extract<EntityEvent, { type: 'EntityAnonymised' }>;

/** Lists the entities that were erased, and repeats erasures in a restored backup or in a copy that lacks them. */
@Injectable()
export class ErasedEntities {
  constructor(
    private readonly erasures: Erasures,
    private readonly store: EventStore,
    private readonly tenants: Tenants,
    private readonly closed: ClosedTenants,
  ) {}

  async list(): Promise<Erased[]> {
    const aliases = new Map((await this.tenants.list()).map(({ id, alias }) => [id, alias]));
    return (await this.erasures.recorded()).map(({ tenantId, streamId, event }) => ({
      tenant: aliases.get(tenantId)!,
      subject: toId('entity', streamId),
      on: (event as Anonymised).data.anonymisedOn,
    }));
  }

  /**
   * Erases the listed entities. Matters that are open in the backup do not prevent it, because none was open when the
   * erasure was decided. A further call after a failure, or for the entities that were skipped, continues the work.
   */
  async replay(erased: readonly Erased[]): Promise<Replayed> {
    const keys = await this.erasures.repeat();
    const result: Replayed = { erased: 0, already: 0, absent: 0, waiting: 0, keys };
    const tenants = new Map((await this.tenants.list()).map((tenant) => [tenant.alias, tenant]));
    for (const one of erased) {
      const tenant = tenants.get(one.tenant);
      if (!tenant) result.absent += 1;
      else if (await this.closed.isClosed(tenant.id)) result.waiting += 1;
      else result[await this.erase(tenant, one)] += 1;
    }
    return result;
  }

  /**
   * Erases in copies the entities that were erased in the originals. Matters that are open in a copy do not prevent it.
   * @param source the source of the recorded events
   * @returns how many entities were erased now
   */
  async repeatIn(copies: readonly TenantCopy[], source: string): Promise<number> {
    const tenants = new Map(copies.map(({ copy }) => [copy.id, copy]));
    const pairs = copies.map(({ original, copy }) => ({ original, copy: copy.id }));
    let count = 0;
    for (const { copy, erasure } of await this.erasures.unrepeatedIn(pairs)) {
      const { anonymisedOn: on } = (erasure.event as Anonymised).data;
      const one = { subject: toId('entity', erasure.streamId), on };
      // Another worker may have erased the entity in the meantime.
      if ((await this.erase(tenants.get(copy)!, one, source)) === 'erased') count++;
    }
    return count;
  }

  private async erase(
    tenant: RegisteredTenant,
    { subject, on }: Omit<Erased, 'tenant'>,
    source = 'cli',
  ): Promise<'erased' | 'already' | 'absent'> {
    try {
      const { position } = await this.store.execute(
        operatorContext(tenant),
        (work) => erase(work, subject, { on, again: true }),
        { source },
      );
      return position ? 'erased' : 'already';
    } catch (error) {
      if (error instanceof DomainError && error.fault === 'not_found') return 'absent';
      throw error;
    }
  }
}
