import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { DomainError } from '#kernel/errors';
import { Tenants } from '#platform/auth/tenants';
import { ReadDatabase } from '#platform/database';
import { CatchUp } from '../catch-up';
import type { Projection } from '../projection';
import { Projections } from '../projections';
import { dropGeneration } from './generation-tables';
import { flip, isLive, sweep, unfinishedOf } from './generations';
import { NextGeneration } from './next-generation';
import { patiently } from './patience';
import { lockGenerations, rebuildRunning, refuseHeld } from './rebuild-lock';
import { type RebuildOptions, RebuildRun, type Rebuilt } from './rebuild-run';

/**
 * Rebuilds a read model from the events, in a generation beside the live one, which serves reads until the new one has
 * caught up.
 */
@Injectable()
export class ProjectionRebuild {
  constructor(
    private readonly projections: Projections,
    private readonly next: NextGeneration,
    private readonly catchUp: CatchUp,
    private readonly tenants: Tenants,
    private readonly reads: ReadDatabase,
  ) {}

  /** Names of all read models. */
  get names(): string[] {
    return this.projections.all.map(({ name }) => name);
  }

  /**
   * Rebuilds a read model. An interrupted rebuild is resumed if it was for the same tenants and the same version of the
   * projection. While a database is unavailable the rebuild waits, and then resumes.
   * @throws DomainError unknown_projection, tenant_not_found, rebuild_running, tenant_held
   * @throws EventNotApplied when an event cannot be folded; the new generation is dropped then
   */
  async rebuild(name: string, options: RebuildOptions = {}): Promise<Rebuilt> {
    const projection = this.projections.get(name);
    const tenant = options.tenant === undefined ? undefined : await this.tenants.get(options.tenant);
    const run = new RebuildRun([projection], tenant, options);
    await patiently(
      async () => {
        if (await this.underLock(projection, (client) => this.carryOut(client, projection, run), run.signal))
          return true;
        // Once the rebuild has begun, the process that has the lock continues it.
        if (run.generations.length === 0) throw rebuildRunning(name);
        run.stopIfAsked();
        return false;
      },
      () => run.report('waiting for the database'),
      () => run.events,
    );
    return run.result();
  }

  /**
   * Resumes a rebuild whose process has died, removes what such a rebuild has left, or begins the rebuild that a newer
   * version of the projection needs.
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
      // The process that holds a tenant also resumes the tenant's rebuild. A rebuild of all tenants has to wait.
      if (error instanceof DomainError && ['rebuild_running', 'tenant_held'].includes(error.code))
        return undefined;
      throw error;
    }
  }

  /**
   * Drops the generation of a rebuild that was stopped.
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
    if (!done) throw rebuildRunning(name);
  }

  /** Runs work under the projection's lock. Returns undefined when another rebuild has the lock. */
  private async underLock<Result>(
    { name }: Projection,
    work: (client: Client) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result | undefined> {
    const client = await this.reads.watchedSession(signal);
    try {
      return (await lockGenerations(client, name)) ? await work(client) : undefined;
    } finally {
      // Ends the session, and with it the lock.
      await client.end();
    }
  }

  private async carryOut(client: Client, projection: Projection, run: RebuildRun): Promise<true> {
    await sweep(client, projection);
    // The connection may have been lost after the rebuild was complete, but before the answer arrived.
    const [begun] = run.generations;
    if (begun && (await isLive(client, projection, begun, run.tenantId))) return true;
    // This comes before anything that a renewal of the tenant has left is touched.
    await refuseHeld(client, projection.name, run.tenantId);
    await this.next.prepare(client, run, ([{ unfinished, track }]) =>
      this.catchUp.run(projection, track, async (flipping) => {
        // Fails when the lock was lost, and the generation possibly with it.
        await client.query('select');
        await flip(flipping, projection, unfinished);
      }),
    );
    // Readers may keep what was replaced for long, a dump for hours. Whoever stops the rebuild meanwhile leaves only that
    // behind, for the next sweep.
    await sweep(client, projection).catch((error) => {
      if (!run.stopped) throw error;
    });
    return true;
  }
}
