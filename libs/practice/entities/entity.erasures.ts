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

/** That a person's data was erased: what is kept apart from the backups, so that it can be erased in them too. */
export interface Erased {
  /** Alias. */
  tenant: string;
  /** The entity. */
  subject: string;
  /** An instant. */
  on: string;
}

export interface Replayed {
  /** Erased now. */
  erased: number;
  /** Were erased already. */
  already: number;
  /** Are not in this store: made after the backup, or in a tenant that is not here. */
  absent: number;
  /** Not asked for: an import was being promoted to their tenant in the backup, which may bring them first. */
  waiting: number;
  /** Keys that were there although their subjects are erased, and are destroyed again. */
  keys: number;
}

/** A tenant that has records of another under the same ids. */
export interface TenantCopy {
  /** Id of the tenant whose records they are. */
  original: number;
  copy: RegisteredTenant;
}

type Anonymised = Extract<EntityEvent, { type: 'EntityAnonymised' }>;

/** Who was erased, and the same again in a backup that does not know of it. */
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
   * Erases whom the list names, whatever is open in the backup: it was decided when nothing was. Again after a failure, or
   * for those who wait, it goes on.
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
   * Erases in the copies whom their originals have erased, whatever is open in a copy.
   * @param source of the events
   * @returns how many were erased now
   */
  async repeatIn(copies: readonly TenantCopy[], source: string): Promise<number> {
    const tenants = new Map(copies.map(({ copy }) => [copy.id, copy]));
    const pairs = copies.map(({ original, copy }) => ({ original, copy: copy.id }));
    let count = 0;
    for (const { copy, erasure } of await this.erasures.unrepeatedIn(pairs)) {
      const { anonymisedOn: on } = (erasure.event as Anonymised).data;
      const one = { subject: toId('entity', erasure.streamId), on };
      // Another worker may have done it meanwhile.
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
