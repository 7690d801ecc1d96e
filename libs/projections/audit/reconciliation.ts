import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { type RegisteredTenant, Tenants } from '#platform/auth/tenants';
import { ReadDatabase } from '#platform/database';
import { derivations, physicalTables } from '../derived-tables';
import { type LiveModel, liveModels, trackOf } from '../live-models';
import type { Projection } from '../projection';
import { Projections } from '../projections';

const LISTED = 100;

/** A row on which a derived table and its source disagree. */
export interface Disagreement {
  tenant: string;
  table: string;
  problem: 'not in the source' | 'missing';
  row: Record<string, unknown>;
}

export interface Reconciled {
  name: string;
  /** Number of rows of the derived tables. */
  rows: number;
  differing: number;
  /** The first hundred differences. */
  differences: Disagreement[];
}

interface Compared {
  rows: string;
  differing: string;
  differences: { problem: Disagreement['problem']; row: Record<string, unknown> }[];
}

/** Verifies that facts and sums match the tables that they are derived from. */
@Injectable()
export class Reconciliation {
  constructor(
    private readonly projections: Projections,
    private readonly tenants: Tenants,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * Verifies all projections with derived tables in one snapshot of the read database.
   * @param alias alias of one tenant; default: every tenant
   * @throws DomainError tenant_not_found
   */
  async run(alias?: string): Promise<Reconciled[]> {
    const chosen = this.projections.all.filter(({ derived }) => derived);
    const client = await this.reads.session();
    try {
      await client.query('begin isolation level repeatable read read only');
      // The locks keep a rebuild from dropping the generation that is verified.
      for (const projection of chosen)
        for (const { name } of physicalTables(projection))
          await client.query(`lock table read_model.${name} in access share mode`);
      const models = await liveModels(client);
      const tenants = await this.tenants.chosen(alias);
      const results: Reconciled[] = [];
      for (const projection of chosen)
        results.push(await reconcile(client, projection, models.get(projection.name)!, tenants));
      return results;
    } finally {
      await client.end();
    }
  }
}

async function reconcile(
  client: Client,
  projection: Projection,
  model: LiveModel,
  tenants: readonly RegisteredTenant[],
): Promise<Reconciled> {
  const result: Reconciled = { name: projection.name, rows: 0, differing: 0, differences: [] };
  for (const { id, alias } of tenants) {
    const { generation } = trackOf(model, id);
    const of = (table: string) =>
      `(select * from read_model.${table} where generation = ${generation} and tenant_id = ${id})`;
    for (const { table, columns, select, shown } of derivations(projection, of)) {
      const { rows } = await client.query<Compared>(comparison(columns, shown(of(table)), select));
      const { differing, differences } = rows[0];
      result.rows += Number(rows[0].rows);
      result.differing += Number(differing);
      const own = differences.map((each) => ({ tenant: alias, table, ...each }));
      result.differences.push(...own.slice(0, LISTED - result.differences.length));
    }
  }
  return result;
}

function comparison(columns: readonly string[], shown: string, told: string): string {
  const names = columns.join(', ');
  return `with shown (${names}) as materialized (${shown}), told (${names}) as materialized (${told}),
    differing as (
      select 'not in the source' as problem, x.* from (select * from shown except all select * from told) x
      union all select 'missing', x.* from (select * from told except all select * from shown) x
    )
    select (select count(*) from shown) as rows, (select count(*) from differing) as differing,
      (select coalesce(json_agg(json_build_object('problem', l.problem, 'row', to_jsonb(l) - 'problem')), '[]')
       from (select * from differing order by ${names}, problem limit ${LISTED}) l) as differences`;
}
