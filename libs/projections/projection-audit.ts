import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { START } from '#event-store/position';
import { type RegisteredTenant, Tenants } from '#platform/auth/tenants';
import { ReadDatabase, WriteDatabase } from '#platform/database';
import { type LiveModel, liveModels, reachedIn, trackOf } from './live-models';
import type { Projection, ReadTable } from './projection';
import { Projections } from './projections';
import { compareRows, type Difference, type Side } from './row-comparison';
import { Scratch, scratchTable } from './scratch';

const LISTED = 100;

/** A row that the live read model and the events do not agree on. */
export interface AuditFinding extends Difference {
  tenant: string;
  table: string;
}

export interface Audited {
  name: string;
  generation: number;
  /** Folded for the comparison. */
  events: number;
  rows: number;
  /** Streams left out because they have changed since the instant of the audit. */
  changedSince: number;
  differing: number;
  /** The first hundred. */
  differences: AuditFinding[];
}

/** Proves that a read model is what its events say. */
@Injectable()
export class ProjectionAudit {
  constructor(
    private readonly projections: Projections,
    private readonly scratch: Scratch,
    private readonly tenants: Tenants,
    private readonly writes: WriteDatabase,
    private readonly reads: ReadDatabase,
  ) {}

  /** Of every read model. */
  get names(): string[] {
    return this.projections.all.map(({ name }) => name);
  }

  /**
   * Builds the read model again from its events, up to where the live one stands, and compares row by row, while both
   * go on.
   * @param options.asOf compares what has not changed since then with the events up to then
   * @throws DomainError unknown_projection, tenant_not_found
   */
  async audit(name: string, options: { tenant?: string; asOf?: Date } = {}): Promise<Audited> {
    const projection = this.projections.get(name);
    const tenants =
      options.tenant === undefined ? await this.tenants.list() : [await this.tenants.get(options.tenant)];
    const [live, scratch] = await Promise.all([this.reads.session(), this.reads.session()]);
    try {
      // Reads only, so that no feed waits for it.
      await live.query('begin isolation level repeatable read read only');
      const model = (await liveModels(live)).get(name)!;
      const bounds = tenants.map(({ id, partition }) => ({
        id,
        upTo: reachedIn(trackOf(model, id), partition) ?? START,
      }));
      const events = await this.scratch.fill(scratch, projection, bounds, options.asOf);
      const changed = await this.changedSince(projection, tenants, options.asOf);
      const result: Audited = {
        ...{ name, generation: model.main.generation, events, rows: 0, changedSince: changed.size },
        ...{ differing: 0, differences: [] },
      };
      await scratch.query('begin read only');
      for (const table of projection.tables) {
        for (const tenant of tenants) await compare(result, table, tenant, { live, scratch, model, changed });
        if (options.tenant === undefined) await findStrangers(result, live, table, model, tenants);
      }
      return result;
    } finally {
      await Promise.all([live.end(), scratch.end()]);
    }
  }

  /** Streams with events of the projection after the instant. */
  private async changedSince(
    { eventTypes }: Projection,
    tenants: readonly RegisteredTenant[],
    asOf: Date | undefined,
  ): Promise<Set<string>> {
    if (!asOf) return new Set();
    const client = await this.writes.session();
    try {
      const { rows } = await client.query<{ stream: string }>(
        `select distinct stream_id as stream from event_store.events
         where tenant_id = any($1::int[]) and type = any($2) and recorded_at > $3`,
        [tenants.map(({ id }) => id), [...eventTypes], asOf],
      );
      return new Set(rows.map(({ stream }) => stream));
    } finally {
      await client.end();
    }
  }
}

interface Sides {
  live: Client;
  scratch: Client;
  model: LiveModel;
  changed: ReadonlySet<string>;
}

async function compare(
  result: Audited,
  table: ReadTable,
  tenant: RegisteredTenant,
  { live, scratch, model, changed }: Sides,
): Promise<void> {
  const { generation } = trackOf(model, tenant.id);
  const shown: Side = {
    client: live,
    from: `read_model.${table.name}`,
    where: `generation = ${generation} and tenant_id = ${tenant.id}`,
  };
  const told: Side = { client: scratch, from: scratchTable(table), where: `tenant_id = ${tenant.id}` };
  result.rows += await compareRows(table, { shown, told }, changed, (difference) =>
    note(result, { tenant: tenant.alias, table: table.name, ...difference }),
  );
}

function note(result: Audited, finding: AuditFinding): void {
  result.differing++;
  if (result.differences.length < LISTED) result.differences.push(finding);
}

/** Rows of tenants that do not exist. */
async function findStrangers(
  result: Audited,
  live: Client,
  table: ReadTable,
  { main }: LiveModel,
  tenants: readonly RegisteredTenant[],
): Promise<void> {
  const { rows } = await live.query<{ tenant: number; key: string[] }>(
    `select tenant_id as tenant, array[${table.key.map((name) => `${name}::text`).join(', ')}] as key
     from read_model.${table.name} where generation = $1 and tenant_id <> all($2::int[])`,
    [main.generation, tenants.map(({ id }) => id)],
  );
  for (const { tenant, key } of rows) {
    note(result, {
      ...{ tenant: `unknown (${tenant})`, table: table.name, key: key.slice(1).join('/') },
      ...{ problem: 'not in the events', columns: [] },
    });
  }
}
