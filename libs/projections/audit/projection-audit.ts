import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { Erasures } from '#event-store/erasures';
import { type Position, START } from '#event-store/position';
import { type RegisteredTenant, Tenants } from '#platform/auth/tenants';
import { ReadDatabase, WriteDatabase } from '#platform/database';
import { type LiveModel, liveModel, reachedIn, trackOf } from '../live-models';
import type { Projection, ReadTable } from '../projection';
import { Projections } from '../projections';
import { type Comparison, compareRows, type Difference } from './row-comparison';
import { columnsOf, Scratch, scratchTable } from './scratch';

const LISTED = 100;

/** A row on which the live read model and the events disagree. */
export interface AuditFinding extends Omit<Difference, 'columns'> {
  tenant: string;
  table: string;
  /** Names of the columns that differ. */
  columns: string[];
}

export interface Audited {
  name: string;
  generation: number;
  /** Number of events that were folded for the comparison. */
  events: number;
  rows: number;
  /**
   * Number of rows left out because their streams have had further events since the instant of the audit, or have lost
   * their personal data since the event up to which the read model was built.
   */
  changedSince: number;
  differing: number;
  /** The first hundred differences. */
  differences: AuditFinding[];
  /**
   * Aliases of the tenants that the read model no longer follows. Their rows are compared with the events up to their
   * checkpoint.
   */
  parked: string[];
}

/** The context of one audit. */
interface Audit {
  result: Audited;
  projection: Projection;
  model: LiveModel;
  /** All tenants, or the audited tenant only. */
  tenants: readonly RegisteredTenant[];
  live: Client;
  scratch: Client;
  asOf?: Date;
}

/** Verifies that a read model matches its events. */
@Injectable()
export class ProjectionAudit {
  constructor(
    private readonly projections: Projections,
    private readonly scratch: Scratch,
    private readonly tenants: Tenants,
    private readonly erasures: Erasures,
    private readonly writes: WriteDatabase,
    private readonly reads: ReadDatabase,
  ) {}

  /** Names of all read models. */
  get names(): string[] {
    return this.projections.all.map(({ name }) => name);
  }

  /**
   * Rebuilds the read model from its events up to the live one's checkpoints, and compares both row by row, while both
   * keep being updated. It holds a few thousand rows in memory, and does not hold the feed back.
   * @param options.asOf compares rows that have not changed since then with the events up to then
   * @throws DomainError unknown_projection, tenant_not_found
   */
  async audit(name: string, options: { tenant?: string; asOf?: Date } = {}): Promise<Audited> {
    const projection = this.projections.get(name);
    const live = await this.reads.session();
    let scratch: Client | undefined;
    try {
      scratch = await this.reads.session();
      const model = await lookAt(live, projection);
      // Read after the snapshot was taken, so that every tenant in the snapshot is known.
      const tenants = await this.tenants.chosen(options.tenant);
      const bounds = tenants.map((tenant) => ({ id: tenant.id, upTo: reachedBy(model, tenant) }));
      const events = await this.scratch.fill(scratch, projection, bounds, options.asOf);
      await scratch.query('begin read only');
      const result: Audited = {
        name,
        generation: model.main.generation,
        events,
        rows: 0,
        changedSince: 0,
        differing: 0,
        differences: [],
        parked: tenants
          .filter(({ id }) => model.parked.some(({ tenantId }) => tenantId === id))
          .map(({ alias }) => alias),
      };
      const audit: Audit = { result, projection, model, tenants, live, scratch, asOf: options.asOf };
      for (const table of projection.tables) {
        const columns = await columnsOf(live, table);
        for (const tenant of tenants) await this.compare(audit, table, columns, tenant);
        if (options.tenant === undefined) await findStrangers(audit, table);
      }
      return result;
    } finally {
      await Promise.all([live.end(), scratch?.end()]);
    }
  }

  private async compare(
    { result, projection, model, live, scratch, asOf }: Audit,
    table: ReadTable,
    columns: readonly string[],
    tenant: RegisteredTenant,
  ): Promise<void> {
    const { id, alias } = tenant;
    const reached = reachedBy(model, tenant);
    // Asked once, so that both sides leave out the same rows: the events are folded by now, and later erasures change
    // nothing.
    const erased = await this.erasedSince(projection, id, reached);
    const where = `generation = ${trackOf(model, id).generation} and tenant_id = ${id}`;
    const comparison: Comparison = {
      table,
      columns,
      shown: { client: live, from: `read_model.${table.name}`, where },
      told: { client: scratch, from: scratchTable(table), where: `tenant_id = ${id}` },
      ignored: async (streams) =>
        new Set([...erased, ...(await this.changedSince(projection, id, streams, reached, asOf))]),
    };
    const { rows, leftOut } = await compareRows(comparison, async ({ key, problem, columns: names }) => {
      result.differing++;
      if (result.differences.length < LISTED)
        result.differences.push({ tenant: alias, table: table.name, key, problem, columns: await names() });
    });
    result.rows += rows;
    result.changedSince += leftOut;
  }

  /** Those of the streams that have events of the projection after the instant, up to where the read model stands. */
  private async changedSince(
    { eventTypes }: Projection,
    tenantId: number,
    streams: string[],
    { epoch, transactionId, position }: Position,
    asOf: Date | undefined,
  ): Promise<string[]> {
    if (!asOf || streams.length === 0) return [];
    const { rows } = await this.writes.pool.query<{ stream: string }>(
      `select distinct stream_id as stream from event_store.events
       where tenant_id = $1 and stream_id = any($2::uuid[]) and type = any($3) and recorded_at > $4
         and (epoch, transaction_id, position) <= ($5, $6::xid8, $7)`,
      [tenantId, streams, [...eventTypes], asOf, epoch, transactionId, position],
    );
    return rows.map(({ stream }) => stream);
  }

  /** The streams whose personal data can no longer be read from their events, although the read model has it. */
  private async erasedSince(
    { eventTypes }: Projection,
    tenantId: number,
    reached: Position,
  ): Promise<string[]> {
    if (!this.erasures.eventTypes.some((type) => eventTypes.has(type))) return [];
    return this.erasures.after(tenantId, reached);
  }
}

/** The position up to which a tenant's rows were built. */
function reachedBy(model: LiveModel, { id, partition }: RegisteredTenant): Position {
  return reachedIn(trackOf(model, id), partition) ?? START;
}

/**
 * Takes the read model in a snapshot that all later queries of the session share. The transaction only reads, so it
 * does not hold the feed back. The lock keeps a rebuild from dropping the generation that is audited.
 */
async function lookAt(live: Client, { name, tables }: Projection): Promise<LiveModel> {
  await live.query('begin isolation level repeatable read read only');
  for (const table of tables) await live.query(`lock table read_model.${table.name} in access share mode`);
  return liveModel(live, name);
}

/** Finds rows of tenants that do not exist. */
async function findStrangers({ result, live, model, tenants }: Audit, table: ReadTable): Promise<void> {
  const { rows } = await live.query<{ tenant: number; key: string[]; total: number }>(
    `select tenant_id as tenant, array[${table.key.map((name) => `${name}::text`).join(', ')}] as key,
       count(*) over ()::int as total
     from read_model.${table.name} where generation = $1 and tenant_id <> all($2::int[])
     order by ${table.key.join(', ')} limit ${LISTED}`,
    [model.main.generation, tenants.map(({ id }) => id)],
  );
  result.differing += rows[0]?.total ?? 0;
  const findings = rows.map(
    ({ tenant, key }): AuditFinding => ({
      tenant: `unknown (${tenant})`,
      table: table.name,
      key: key.slice(1).join('/'),
      problem: 'not in the events',
      columns: [],
    }),
  );
  result.differences.push(...findings.slice(0, LISTED - result.differences.length));
}
