import type { RegisteredTenant } from '#platform/auth/tenants';
import { live } from '../live';
import type { Divisions } from './divisions';

/** Queries and expectations for the specs of renewals. */
export class Renewals {
  readonly parts: ReturnType<Divisions['parts']>;

  constructor(private readonly divisions: Divisions) {
    this.parts = divisions.parts();
  }

  tenant(index: number): Promise<RegisteredTenant> {
    return this.parts.tenants.get(this.divisions.contexts[index].tenant.alias);
  }

  /** The numbers of divisions and of their events that a tenant's readers see in one statement: `3/4`. */
  async seen(index: number): Promise<string> {
    const [row] = await this.divisions.rows<{ seen: string }>(
      `select (select count(*) from read_model.divisions d where ${live('divisions', 'd', '$1')}) || '/' ||
         (select coalesce(sum(events), 0) from read_model.tally t where ${live('tally', 't', '$1')}) as seen`,
      [this.divisions.contexts[index].tenant.id],
    );
    return row.seen;
  }

  /** The generations of all live tracks. */
  generations(): Promise<{ projection: string; tenant: number; generation: number }[]> {
    return this.divisions.rows(
      `select projection, tenant_id as tenant, generation from read_model.live
       where projection in ('divisions', 'tally') order by 1, 2`,
    );
  }

  /** Expects the tenant's read models to match its events. */
  async expectSound(index: number): Promise<void> {
    const { alias } = await this.tenant(index);
    for (const { name } of this.divisions.projections)
      expect(await this.parts.audit.audit(name, { tenant: alias })).toMatchObject({ differing: 0 });
  }
}
