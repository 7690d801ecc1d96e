import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Rounds } from '#kernel/rounds';
import { Tenants } from '#platform/auth/tenants';
import { CheckpointMoved } from '../checkpoints';
import { NotFilled } from './live-fill';
import { TenantReturn } from './tenant-return';

const EVERY_MS = 30_000;
/** Delay after a tenant's rows could not be made: the next attempt costs as much, and is likely to fail as well. */
const AFTER_FAILURE_MS = 3_600_000;

/** Brings tenants with generations of their own back to the others, one after the other. */
@Injectable()
export class ReturningTenants implements OnApplicationShutdown {
  private readonly log = new Logger(ReturningTenants.name);
  private readonly stopping = new AbortController();
  private readonly notBefore = new Map<number, number>();
  private readonly rounds = new Rounds(
    () => this.round(),
    (error) => {
      if (!this.stopping.signal.aborted)
        this.log.warn(`Tenants keep tables of their own for now: ${error.message}`);
    },
  );

  constructor(
    private readonly returning: TenantReturn,
    private readonly tenants: Tenants,
  ) {}

  start(everyMs = EVERY_MS): void {
    this.rounds.start(everyMs);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort(new Error('The process is ending'));
    await this.rounds.stop();
  }

  private async round(): Promise<void> {
    const away = new Set(await this.returning.away());
    if (away.size === 0) return;
    for (const tenant of await this.tenants.list()) {
      if (!away.has(tenant.id) || (this.notBefore.get(tenant.id) ?? 0) > performance.now()) continue;
      try {
        const names = await this.returning.bringBack(tenant, this.stopping.signal);
        if (names.length > 0)
          this.log.log(`${tenant.alias} is back in the tables of all tenants: ${names.join(', ')}`);
      } catch (error) {
        // The tenant is being promoted to, or waits for an operator.
        if (error instanceof CheckpointMoved) continue;
        if (!(error instanceof NotFilled)) throw error;
        this.notBefore.set(tenant.id, performance.now() + AFTER_FAILURE_MS);
        this.log.error(`${tenant.alias} keeps tables of its own: ${error.message}`);
      }
    }
  }
}
