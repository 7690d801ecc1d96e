import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { START } from '#event-store/position';
import { conflict, DomainError } from '#kernel/errors';
import { Tenants } from '#platform/auth/tenants';
import { isConnectionLost } from '#platform/connection-lost';
import { ReadDatabase } from '#platform/database';
import { CatchUp } from './catch-up';
import { CheckpointMoved } from './checkpoints';
import { GenerationBuild } from './generation-build';
import { attachTables, createIndexes, dropGeneration } from './generation-tables';
import { flip, isLive, sweep, trackOfGeneration, type Unfinished, unfinishedOf } from './generations';
import type { Projection } from './projection';
import { Projections } from './projections';
import { type RebuildOptions, RebuildRun, type Rebuilt } from './rebuild-run';

const RETRY_MS = 500;
/** How long a rebuild waits for a database that went away. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Builds a read model again from the events, in a generation beside the live one, which answers until the new one has
 * caught up.
 */
@Injectable()
export class ProjectionRebuild {
  constructor(
    private readonly projections: Projections,
    private readonly build: GenerationBuild,
    private readonly catchUp: CatchUp,
    private readonly tenants: Tenants,
    private readonly reads: ReadDatabase,
  ) {}

  /** Of every read model. */
  get names(): string[] {
    return this.projections.all.map(({ name }) => name);
  }

  /**
   * A rebuild that died is gone on with, when it was for the same tenants and by the same version of the projection.
   * While a database is away the rebuild waits, and goes on where it was.
   * @throws DomainError unknown_projection, tenant_not_found, rebuild_running
   * @throws EventNotApplied when an event cannot be folded; nothing of the rebuild is left then
   */
  async rebuild(name: string, options: RebuildOptions = {}): Promise<Rebuilt> {
    const projection = this.projections.get(name);
    const tenant = options.tenant === undefined ? undefined : await this.tenants.get(options.tenant);
    const run = new RebuildRun(projection, tenant, options);
    for (let lostAt: number | undefined; ; await delay(RETRY_MS)) {
      try {
        if (await this.underLock(projection, (client) => this.carryOut(client, run), run.signal))
          return run.result();
        // Once begun, it is gone on with by whoever has the lock.
        if (!run.generation) throw running(name);
        lostAt = undefined;
        run.stopIfAsked();
      } catch (error) {
        // Somebody else has this generation in hand, after all.
        if (error instanceof CheckpointMoved) continue;
        if (!isConnectionLost(error)) throw error;
        lostAt ??= Date.now();
        if (Date.now() - lostAt > PATIENCE_MS) throw error;
        run.report('waiting for the database');
      }
    }
  }

  /**
   * Goes on with a rebuild whose process has died, removes what it has left, or begins the one that a newer version of
   * the projection needs.
   * @returns undefined when there was nothing to do
   * @throws EventNotApplied
   */
  async resume(name: string, signal?: AbortSignal): Promise<Rebuilt | undefined> {
    const projection = this.projections.get(name);
    const { rows } = await this.reads.pool.query<{ version: number; live: boolean }>(
      `select g.version, l.projection is not null as live from read_model.generations g
       left join read_model.live l on l.projection = g.projection and l.generation = g.generation
       where g.projection = $1`,
      [name],
    );
    const isOld = rows.some(({ live, version }) => live && version < projection.version);
    if (!isOld && rows.every(({ live }) => live)) return undefined;
    const unfinished = await this.underLock(
      projection,
      async (client) => {
        await sweep(client, projection);
        return unfinishedOf(client, projection);
      },
      signal,
    );
    if (!unfinished && !isOld) return undefined;
    const tenant = unfinished && (await this.tenants.list()).find(({ id }) => id === unfinished.tenantId);
    try {
      return await this.rebuild(name, { tenant: isOld ? undefined : tenant?.alias, signal });
    } catch (error) {
      if (error instanceof DomainError && error.code === 'rebuild_running') return undefined;
      throw error;
    }
  }

  /**
   * Drops what a rebuild that was stopped has done.
   * @throws DomainError unknown_projection, rebuild_running
   */
  async discard(name: string): Promise<void> {
    const projection = this.projections.get(name);
    const done = await this.underLock(projection, async (client) => {
      await sweep(client, projection);
      const unfinished = await unfinishedOf(client, projection);
      if (unfinished) await dropGeneration(client, projection, unfinished.generation);
      return true;
    });
    if (!done) throw running(name);
  }

  /** Undefined when another rebuild of the projection has the lock. */
  private async underLock<Result>(
    { name }: Projection,
    work: (client: Client) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result | undefined> {
    const client = await this.reads.session(signal);
    try {
      const { rows } = await client.query<{ locked: boolean }>(
        `select pg_try_advisory_lock(hashtextextended('rebuild ' || $1, 0)) as locked`,
        [name],
      );
      return rows[0].locked ? await work(client) : undefined;
    } finally {
      // Ends the session, and with it the lock.
      await client.end();
    }
  }

  private async carryOut(client: Client, run: RebuildRun): Promise<true> {
    const { projection, tenant } = run;
    await sweep(client, projection);
    // The connection may have been lost when all was done but for the answer.
    if (run.generation && (await isLive(client, projection, run.generation, run.tenantId))) return true;
    let unfinished = await unfinishedOf(client, projection);
    if (unfinished && !run.goesOnWith(unfinished)) {
      await dropGeneration(client, projection, unfinished.generation);
      unfinished = undefined;
    }
    unfinished ??= await this.build.begin(client, projection, tenant);
    run.begin(unfinished);
    try {
      await this.complete(client, run, unfinished);
    } catch (error) {
      if (!isConnectionLost(error) && !(error instanceof CheckpointMoved) && !run.stopped) {
        await client.query('rollback');
        await dropGeneration(client, projection, unfinished.generation);
      }
      throw error;
    }
    await sweep(client, projection);
    return true;
  }

  private async complete(client: Client, run: RebuildRun, unfinished: Unfinished): Promise<void> {
    const { projection } = run;
    const track = await trackOfGeneration(client, projection, unfinished);
    if (!unfinished.filled) {
      const tenants = (run.tenant ? [run.tenant] : await this.tenants.list()).map(({ id, partition }) => ({
        id,
        upTo: track.reached.get(partition) ?? START,
      }));
      run.report('filling');
      await this.build.fill(client, projection, unfinished, tenants, {
        counted: (total) => run.count(total),
        copied: (events) => run.advance(events),
      });
    }
    run.report('indexing');
    const second = await this.reads.session(run.signal);
    try {
      await createIndexes([client, second], projection, unfinished.generation);
    } finally {
      await second.end();
    }
    await attachTables(client, projection, unfinished.generation);
    run.report('catching up');
    await this.catchUp.run(projection, track, async (flipping) => {
      // Fails when the lock is lost, and with it perhaps the generation.
      await client.query('select');
      await flip(flipping, projection, unfinished);
    });
  }
}

function running(name: string): DomainError {
  return conflict('rebuild_running', `${name} is being rebuilt already.`);
}
