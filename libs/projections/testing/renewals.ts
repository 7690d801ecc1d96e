import type { RegisteredTenant } from '#platform/auth/tenants';
import { live } from '../live';
import type { Divisions } from './divisions';

/** What the specs of renewals ask of tenants with divisions. */
export class Renewals {
  readonly parts: ReturnType<Divisions['parts']>;

  constructor(private readonly divisions: Divisions) {
    this.parts = divisions.parts();
  }

  tenant(index: number): Promise<RegisteredTenant> {
    return this.parts.tenants.get(this.divisions.contexts[index].tenant.alias);
  }

  /** Divisions, and their events, that a tenant's readers find in one statement: `3/4`. */
  async seen(index: number): Promise<string> {
    const [row] = await this.divisions.rows<{ seen: string }>(
      `select (select count(*) from read_model.divisions d where ${live('divisions', 'd', '$1')}) || '/' ||
         (select coalesce(sum(events), 0) from read_model.tally t where ${live('tally', 't', '$1')}) as seen`,
      [this.divisions.contexts[index].tenant.id],
    );
    return row.seen;
  }

  /** Of every track that is live. */
  generations(): Promise<{ projection: string; tenant: number; generation: number }[]> {
    return this.divisions.rows(
      `select projection, tenant_id as tenant, generation from read_model.live
       where projection in ('divisions', 'tally') order by 1, 2`,
    );
  }

  /** The tenant's read models must be what its events say. */
  async expectSound(index: number): Promise<void> {
    const { alias } = await this.tenant(index);
    for (const { name } of this.divisions.projections)
      expect(await this.parts.audit.audit(name, { tenant: alias })).toMatchObject({ differing: 0 });
  }
}
