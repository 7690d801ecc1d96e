import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { START } from '#event-store/position';
import { conflict, DomainError } from '#kernel/errors';
import { type RegisteredTenant, Tenants } from '#platform/auth/tenants';
import { isConnectionLost } from '#platform/connection-lost';
import { ReadDatabase } from '#platform/database';
import { CatchUp } from './catch-up';
import { GenerationBuild } from './generation-build';
import { attachTables, createIndexes, dropGeneration } from './generation-tables';
import { flip, isLive, sweep, trackOfGeneration, type Unfinished, unfinishedOf } from './generations';
import type { Projection } from './projection';
import { Projections } from './projections';

const RETRY_MS = 500;
/** How long a rebuild waits for a database that went away. */
const PATIENCE_MS = 10 * 60_000;

export interface Rebuilt {
  name: string;
  /** Alias; null: every tenant. */
  tenant: string | null;
  generation: number;
  /** Folded from the history; what came meanwhile is not counted. */
  events: number;
  milliseconds: number;
}

export interface RebuildProgress {
  phase: 'filling' | 'indexing' | 'catching up' | 'waiting for the database';
  events: number;
  /** Events to be folded; undefined until they are counted. */
  total?: number;
}

export interface RebuildOptions {
  /** Alias; default: every tenant. */
  tenant?: string;
  progress?(progress: RebuildProgress): void;
  /** Stops the rebuild; what it has done waits for whoever goes on with it. */
  signal?: AbortSignal;
}

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
    const run = new Run(projection, tenant, options);
    for (let lostAt: number | undefined; ; await delay(RETRY_MS)) {
      try {
        if (await this.underLock(projection, (client) => this.carryOut(client, run))) return run.result();
        // Once begun, it is gone on with by whoever has the lock.
        if (!run.generation) throw conflict('rebuild_running', `${name} is being rebuilt already.`);
        lostAt = undefined;
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        lostAt ??= Date.now();
        if (Date.now() - lostAt > PATIENCE_MS) throw error;
        run.report('waiting for the database');
      }
    }
  }

  /**
   * Goes on with rebuilds whose process has died, removes what they have left, and begins those that a newer version
   * of a projection needs.
   * @returns the rebuilds that were carried out
   */
  async resume(signal?: AbortSignal): Promise<Rebuilt[]> {
    const { rows } = await this.reads.pool.query<{ projection: string; version: number; live: boolean }>(
      `select g.projection, g.version, l.projection is not null as live from read_model.generations g
       left join read_model.live l on l.projection = g.projection and l.generation = g.generation`,
    );
    const results: Rebuilt[] = [];
    for (const projection of this.projections.all) {
      const own = rows.filter((row) => row.projection === projection.name);
      const isOld = own.some(({ live, version }) => live && version < projection.version);
      if (!isOld && own.every(({ live }) => live)) continue;
      const unfinished = await this.underLock(projection, async (client) => {
        await sweep(client, projection);
        return unfinishedOf(client, projection);
      });
      if (!unfinished && !isOld) continue;
      const tenant = unfinished && (await this.tenants.list()).find(({ id }) => id === unfinished.tenantId);
      try {
        results.push(
          await this.rebuild(projection.name, { tenant: isOld ? undefined : tenant?.alias, signal }),
        );
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'rebuild_running') throw error;
      }
    }
    return results;
  }

  /** Drops what a rebuild that was stopped has done. */
  async discard(name: string): Promise<void> {
    const projection = this.projections.get(name);
    await this.underLock(projection, async (client) => {
      const unfinished = await unfinishedOf(client, projection);
      if (unfinished) await dropGeneration(client, projection, unfinished.generation);
    });
  }

  /** Undefined when another rebuild of the projection has the lock. */
  private async underLock<Result>(
    { name }: Projection,
    work: (client: Client) => Promise<Result>,
  ): Promise<Result | undefined> {
    const client = await this.reads.session();
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

  private async carryOut(client: Client, run: Run): Promise<true> {
    const { projection, tenant } = run;
    // The connection may have been lost when all was done but for the answer.
    if (run.generation && (await isLive(client, projection, run.generation))) return true;
    await sweep(client, projection);
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
      if (!isConnectionLost(error) && !run.stopped) {
        await client.query('rollback');
        await dropGeneration(client, projection, unfinished.generation);
      }
      throw error;
    }
    await sweep(client, projection);
    return true;
  }

  private async complete(client: Client, run: Run, unfinished: Unfinished): Promise<void> {
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
    await createIndexes(client, projection, unfinished.generation);
    await attachTables(client, projection, unfinished.generation);
    run.report('catching up');
    await this.catchUp.run(projection, track, (flipping) => flip(flipping, projection, unfinished));
  }
}

/** One rebuild as its caller sees it, across lost connections. */
class Run {
  generation?: number;
  private events = 0;
  private total?: number;
  private readonly startedAt = Date.now();

  constructor(
    readonly projection: Projection,
    readonly tenant: RegisteredTenant | undefined,
    private readonly options: RebuildOptions,
  ) {}

  get stopped(): boolean {
    return this.options.signal?.aborted ?? false;
  }

  goesOnWith({ tenantId, version }: Unfinished): boolean {
    return tenantId === (this.tenant?.id ?? 0) && version === this.projection.version;
  }

  begin({ generation, events }: Unfinished): void {
    this.generation = generation;
    this.events = events;
  }

  count(total: number): void {
    this.total = total;
  }

  advance(events: number): void {
    this.events += events;
    this.report('filling');
  }

  report(phase: RebuildProgress['phase']): void {
    this.options.signal?.throwIfAborted();
    this.options.progress?.({ phase, events: this.events, total: this.total });
  }

  result(): Rebuilt {
    return {
      name: this.projection.name,
      tenant: this.tenant?.alias ?? null,
      generation: this.generation!,
      events: this.events,
      milliseconds: Date.now() - this.startedAt,
    };
  }
}
