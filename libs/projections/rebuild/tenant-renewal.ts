import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { Feed } from '#event-store/feed';
import { earliest, type Position, START } from '#event-store/position';
import { conflict } from '#kernel/errors';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { ReadDatabase } from '#platform/database';
import { CatchUp } from '../catch-up';
import { lockAllTracks, raiseRevision } from '../checkpoints';
import { liveModels, reachedIn, trackOf } from '../live-models';
import { Projections } from '../projections';
import { delivered, pause } from './delivered';
import { flip, type Started, sweep } from './generations';
import { NextGeneration } from './next-generation';
import { patiently } from './patience';
import { lockGenerations } from './rebuild-lock';
import { type RebuildOptions, RebuildRun } from './rebuild-run';

/** Shows everything that a held tenant has missed, in all its read models at the same moment. */
@Injectable()
export class TenantRenewal {
  constructor(
    private readonly projections: Projections,
    private readonly next: NextGeneration,
    private readonly catchUp: CatchUp,
    private readonly feed: Feed,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * Builds a generation of the tenant for each read model, with one pass over the tenant's events, and makes all of
   * them live in one transaction. The tenant stays held, and nothing may be appended to it meanwhile. If it is run
   * again after its process has died, it resumes; once all is shown it does nothing. It waits while a database is
   * unavailable, or while another process has locked the generations of a read model.
   * @throws DomainError tenant_not_held
   * @throws EventNotApplied when an event cannot be folded; nothing is shown then
   */
  async renew(tenant: RegisteredTenant, options: Omit<RebuildOptions, 'tenant'> = {}): Promise<void> {
    await this.withGenerations(options.signal, (client) => this.carryOut(client, tenant, options));
  }

  /**
   * Removes what renewals have replaced. Run after the tenant was released, so nobody waits for it. If it is
   * interrupted, the next rebuild or renewal removes the rest.
   */
  async sweep(signal?: AbortSignal): Promise<void> {
    await this.withGenerations(signal, async (client) => {
      for (const projection of this.projections.all) await sweep(client, projection);
    });
  }

  /** Runs work while nobody else begins, shows or drops generations. While a database is unavailable it waits. */
  private async withGenerations(
    signal: AbortSignal | undefined,
    work: (client: Client) => Promise<void>,
  ): Promise<void> {
    const attempt = async () => {
      signal?.throwIfAborted();
      const client = await this.reads.watchedSession(signal);
      try {
        for (const { name } of this.projections.all)
          while (!(await lockGenerations(client, name))) await pause(signal);
        await work(client);
        return true;
      } finally {
        // Ends the session, and with it the locks.
        await client.end();
      }
    };
    await patiently(attempt, () => signal?.throwIfAborted());
  }

  private async carryOut(
    client: Client,
    tenant: RegisteredTenant,
    options: Omit<RebuildOptions, 'tenant'>,
  ): Promise<void> {
    const last = await this.unseen(tenant);
    if (!last) return;
    await delivered(this.feed, tenant, last, options.signal);
    const { all } = this.projections;
    for (const projection of all) await sweep(client, projection);
    let ready: readonly Started[] = [];
    await this.next.prepare(client, new RebuildRun(all, tenant, options, true), async (next) => {
      for (const { projection, track } of next) await this.catchUp.approach(projection, track);
      ready = next;
    });
    await this.show(client, ready);
  }

  /** The tenant's last event if one of its read models does not show everything up to it; otherwise undefined. */
  private async unseen(tenant: RegisteredTenant): Promise<Position | undefined> {
    const models = await liveModels(this.reads.pool);
    const tracks = this.projections.all.map(({ name }) => {
      const model = models.get(name)!;
      if (!model.held.some(({ tenantId }) => tenantId === tenant.id)) throw notHeld(tenant);
      return trackOf(model, tenant.id);
    });
    const reached = tracks.map((track) => reachedIn(track, tenant.partition) ?? START);
    return this.feed.latestOf(tenant, earliest(reached));
  }

  private async show(client: Client, ready: readonly Started[]): Promise<void> {
    await this.reads.transaction(async (flipping) => {
      await lockAllTracks(
        flipping,
        ready.map(({ projection }) => projection.name),
      );
      // Fails when the locks were lost, and the generations possibly with them.
      await client.query('select');
      for (const { projection, unfinished } of ready) {
        await flip(flipping, projection, unfinished);
        await raiseRevision(flipping, projection.name);
      }
    });
  }
}

function notHeld({ alias }: RegisteredTenant) {
  return conflict('tenant_not_held', `Tenant ${alias} is not held in every read model.`);
}
