import { Injectable, Logger } from '@nestjs/common';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { ReadDatabase } from '#platform/database';
import { HeldTenants } from '../held-tenants';
import { liveModels } from '../live-models';
import { Projections } from '../projections';
import { pause } from './delivered';
import { LiveFill, NotFilled, type Standing } from './live-fill';
import { lockFill } from './rebuild-lock';

/**
 * Brings very many events of a new tenant to its read models, directly into the tables that serve reads.
 */
@Injectable()
export class TenantFill {
  private readonly log = new Logger(TenantFill.name);

  constructor(
    private readonly projections: Projections,
    private readonly filling: LiveFill,
    private readonly held: HeldTenants,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * Fills the read models in which a new tenant is held, and releases them. Reads in the meantime are incomplete. If it
   * is run again after its process has died, it starts anew; once all are released it does nothing.
   * @throws the signal's reason
   */
  async show(tenant: RegisteredTenant, signal?: AbortSignal): Promise<void> {
    const client = await this.reads.watchedSession(signal);
    try {
      while (!(await lockFill(client, tenant.id))) await pause(signal);
      const standing = await this.standing(tenant);
      if (standing.length === 0) return;
      try {
        await this.filling.fill(client, standing, tenant, signal);
      } catch (error) {
        if (!(error instanceof NotFilled)) throw error;
        // Released without rows, the read models reach the failing event one by one, and are parked there.
        this.log.warn(
          `The read models of ${tenant.alias} were not filled, and follow event by event: ${error.message}`,
        );
      }
      await this.held.release(tenant);
    } finally {
      // Ends the session, and with it the lock.
      await client.end();
    }
  }

  private async standing({ id }: RegisteredTenant): Promise<Standing[]> {
    const models = await liveModels(this.reads.pool);
    return this.projections.all.flatMap((projection) => {
      const { held, main } = models.get(projection.name)!;
      return held.some(({ tenantId }) => tenantId === id)
        ? [{ projection, generation: main.generation }]
        : [];
    });
  }
}
