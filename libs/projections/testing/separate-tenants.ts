import type { RegisteredTenant } from '#platform/auth/tenants';
import type { Divisions } from './divisions';

/** Queries for the specs of tenants that have generations of their own. */
export class SeparateTenants {
  constructor(
    private readonly divisions: Divisions,
    readonly parts = divisions.parts(),
  ) {}

  idOf(index: number): number {
    return this.divisions.contexts[index].tenant.id;
  }

  tenant(index = 1): Promise<RegisteredTenant> {
    return this.parts.tenants.get(this.divisions.contexts[index].tenant.alias);
  }

  /** Gives the tenant a generation of its own in each read model. */
  async separate(index = 1): Promise<void> {
    const { alias } = await this.tenant(index);
    for (const { name } of this.divisions.projections)
      await this.parts.rebuild.rebuild(name, { tenant: alias });
  }

  /** The generations that serve the tenant's reads. */
  serving(index = 1): Promise<number[]> {
    return this.generations(
      `select read_model.live_generation(p, $1) as generation from unnest(array['divisions', 'tally']) p`,
      index,
    );
  }

  /** The generations that have rows of the tenant. */
  filled(index = 1): Promise<number[]> {
    return this.generations(
      `select generation from read_model.divisions where tenant_id = $1
       union select generation from read_model.tally where tenant_id = $1 order by 1`,
      index,
    );
  }

  /** Everything that tells of a track or a generation, besides those of all tenants. */
  traces(): Promise<object[]> {
    return this.divisions.rows(
      `select 'checkpoint' as kind, generation from read_model.checkpoints
       where (generation, tenant_id) <> (1, 0) and projection in ('divisions', 'tally')
       union all select 'live', generation from read_model.live
       where (generation, tenant_id) <> (1, 0) and projection in ('divisions', 'tally')
       union all select 'generation', generation from read_model.generations
       where generation <> 1 and projection in ('divisions', 'tally')
       union all select 'table', 2 from pg_class
       where relnamespace = 'read_model'::regnamespace and relname ~ '^(divisions|tally)_g[^1]'`,
    );
  }

  private async generations(sql: string, index: number): Promise<number[]> {
    const rows = await this.divisions.rows<{ generation: number }>(sql, [this.idOf(index)]);
    return rows.map(({ generation }) => generation);
  }
}
