import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { NIL } from 'uuid';
import { Feed } from '#event-store/feed';
import { History } from '#event-store/history';
import { comparePositions, type Position, START } from '#event-store/position';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { ReadDatabase, WriteDatabase } from '#platform/database';
import { isConnectionLost } from '#platform/database/connection-lost';
import { placeCheckpoint } from '../checkpoints';
import { derivations, physicalTables } from '../derived-tables';
import { liveModels, reachedIn } from '../live-models';
import type { Projection } from '../projection';
import { delivered, pause } from './delivered';
import { generationTable, takeStatistics } from './generation-tables';
import { deleteTenant } from './generations';
import { Lanes, type Task } from './lanes';
import { shareFill } from './rebuild-lock';
import { copyInto, type Filled, rowsOf } from './stream-rows';

/** A read model, and the generation of all tenants, in which the tenant will continue. */
export interface Standing {
  projection: Projection;
  generation: number;
}

/** The tenant's rows could not be made or written; none of them is left. The cause says why. */
export class NotFilled extends Error {}

/** Writing takes longer than folding, and PostgreSQL uses one core for each session. */
const LANES = 2;

/**
 * Writes the rows of one tenant into generations that serve reads of others: stream by stream, which costs far less
 * than looking rows up and changing them for each batch of events.
 */
@Injectable()
export class LiveFill {
  constructor(
    private readonly history: History,
    private readonly feed: Feed,
    private readonly store: WriteDatabase,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * Replaces the tenant's rows in the generations by those that result from all of its events, and places the
   * checkpoints of tracks with which it can join the main ones. No reader may be served from the rows meanwhile, and
   * no main track may apply the tenant's events.
   * @param client a session that holds the lock on filling the tenant
   * @returns the position of the checkpoints; undefined when the tenant has no events
   * @throws NotFilled; the signal's reason
   */
  async fill(
    client: Client,
    standing: readonly Standing[],
    tenant: RegisteredTenant,
    signal?: AbortSignal,
  ): Promise<Position | undefined> {
    const last = await this.feed.latestOf(tenant, START);
    if (!last) return undefined;
    const upTo = await delivered(this.feed, tenant, last, signal);
    const lanes = await Lanes.open(this.reads, LANES, (lane) => shareFill(lane, tenant.id), signal);
    try {
      // The session with the lock still exists, so no lane was too late to share the lock.
      await clear(client, standing, tenant);
      await this.write(lanes, standing, tenant, upTo);
    } catch (error) {
      signal?.throwIfAborted();
      if (isConnectionLost(error)) throw error;
      await clear(client, standing, tenant);
      throw new NotFilled((error as Error).message, { cause: error });
    } finally {
      await lanes.close();
    }
    await this.passed(standing, tenant, upTo, signal);
    for (const { projection, generation } of standing) {
      const track = { projection: projection.name, generation, tenantId: tenant.id };
      await placeCheckpoint(client, track, tenant.partition, upTo);
    }
    return upTo;
  }

  /** Waits until the projector has passed the filled events. Otherwise it would apply them again. */
  private async passed(
    standing: readonly Standing[],
    { partition }: RegisteredTenant,
    upTo: Position,
    signal?: AbortSignal,
  ): Promise<void> {
    for (;;) {
      const models = await liveModels(this.reads.pool);
      const isPassed = standing.every(({ projection }) => {
        const reached = reachedIn(models.get(projection.name)!.main, partition);
        return comparePositions(reached ?? START, upTo) >= 0;
      });
      if (isPassed) return;
      await pause(signal);
    }
  }

  private async write(
    lanes: Lanes,
    standing: readonly Standing[],
    { id }: RegisteredTenant,
    upTo: Position,
  ): Promise<void> {
    const reader = await this.store.session();
    // One chunk is written while the next is folded.
    let writing = Promise.resolve();
    let after: string = NIL;
    try {
      for await (const chunk of rowsOf(this.history, reader, standing, [{ id, upTo }])) {
        await writing;
        writing = lanes.each(written(standing, chunk, after));
        writing.catch(() => undefined);
        after = chunk.streamId;
      }
      await writing;
      await lanes.each(standing.flatMap((each) => derived(each, id, 'sums', '')));
      await lanes.each(standing.flatMap(statistics));
    } finally {
      await writing.catch(() => undefined);
      await reader.end();
    }
  }
}

function statistics({ projection, generation }: Standing): Task[] {
  return physicalTables(projection).map(
    (table) => (client) => takeStatistics(client, generationTable(table, generation)),
  );
}

async function clear(client: Client, standing: readonly Standing[], { id }: RegisteredTenant): Promise<void> {
  for (const { projection, generation } of standing) await deleteTenant(client, projection, generation, id);
}

/** Tasks that write a chunk's rows and the facts derived from them. */
function written(
  standing: readonly Standing[],
  { tenantId, streamId, shares }: Filled,
  after: string,
): Task[] {
  return shares.flatMap((share, index) => {
    if (share.events === 0) return [];
    const { projection, generation } = standing[index];
    const [{ stream }] = projection.tables;
    const chunk = `and ${stream} > '${after}' and ${stream} <= '${streamId}'`;
    const facts = derived(standing[index], tenantId, 'facts', chunk);
    return async (client) => {
      await copyInto(client, share, (table) => generationTable(table, generation));
      for (const make of facts) await make(client);
    };
  });
}

/**
 * Tasks that compute facts from rows, or sums over all facts.
 * @param chunk SQL condition that selects some of the tenant's rows
 */
function derived(
  { projection, generation }: Standing,
  tenantId: number,
  what: 'facts' | 'sums',
  chunk: string,
): Task[] {
  const own = (name: string) =>
    `(select * from ${generationTable({ name }, generation)} where generation = ${generation} and tenant_id = ${tenantId} ${chunk})`;
  return derivations(projection, own)
    .filter(({ from }) => (from !== undefined) === (what === 'facts'))
    .map(({ table, columns, select }) => async (client) => {
      await client.query(
        `insert into ${generationTable({ name: table }, generation)} (generation, ${columns.join(', ')})
         select ${generation}, d.* from (${select}) d`,
      );
    });
}
