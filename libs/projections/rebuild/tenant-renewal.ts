import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { Feed } from '#event-store/feed';
import { LatestEvent } from '#event-store/feed/latest-event';
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

/** Shows everything that a held tenant has missed at one moment, in all its read models. */
@Injectable()
export class TenantRenewal {
  constructor(
    private readonly projections: Projections,
    private readonly next: NextGeneration,
    private readonly catchUp: CatchUp,
    private readonly feed: Feed,
    private readonly latest: LatestEvent,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * Builds a generation of that tenant for each read model, reading the tenant's events once, and lets all of them answer
   * in one transaction. They stay held. Nothing may be appended to the tenant meanwhile.
   * It is written in parts: run again after its process has died, it goes on where it was; once all is shown it does
   * nothing. It waits while a database is away, or while another has the generations of a read model in hand.
   * @throws DomainError tenant_not_held
   * @throws EventNotApplied when an event cannot be folded; nothing is shown then
   */
  async renew(tenant: RegisteredTenant, options: Omit<RebuildOptions, 'tenant'> = {}): Promise<void> {
    const { signal } = options;
    await patiently(
      async () => {
        await this.withGenerations(signal, (client) => this.carryOut(client, tenant, options));
        return true;
      },
      () => signal?.throwIfAborted(),
    );
  }

  /**
   * Removes what renewals have replaced, after the tenant was released: nobody waits for it, and what it leaves when it
   * is broken off goes with the next rebuild or renewal.
   */
  async sweep(signal?: AbortSignal): Promise<void> {
    await patiently(
      async () => {
        await this.withGenerations(signal, async (client) => {
          for (const projection of this.projections.all) await sweep(client, projection);
        });
        return true;
      },
      () => signal?.throwIfAborted(),
    );
  }

  /** Nobody else begins, shows or drops generations meanwhile. */
  private async withGenerations(
    signal: AbortSignal | undefined,
    work: (client: Client) => Promise<void>,
  ): Promise<void> {
    signal?.throwIfAborted();
    const client = await this.reads.watchedSession(signal);
    try {
      for (const { name } of this.projections.all)
        while (!(await lockGenerations(client, name))) await pause(signal);
      await work(client);
    } finally {
      // Ends the session, and with it the locks.
      await client.end();
    }
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

  /** The tenant's last event, when one of its read models does not show all until there. */
  private async unseen(tenant: RegisteredTenant): Promise<Position | undefined> {
    const models = await liveModels(this.reads.pool);
    const tracks = this.projections.all.map(({ name }) => {
      const model = models.get(name)!;
      if (!model.held.some(({ tenantId }) => tenantId === tenant.id)) throw notHeld(tenant);
      return trackOf(model, tenant.id);
    });
    const reached = tracks.map((track) => reachedIn(track, tenant.partition) ?? START);
    return this.latest.of(tenant, earliest(reached));
  }

  private async show(client: Client, ready: readonly Started[]): Promise<void> {
    await this.reads.transaction(async (flipping) => {
      await lockAllTracks(
        flipping,
        ready.map(({ projection }) => projection.name),
      );
      // Fails when the locks are lost, and with them perhaps the generations.
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
