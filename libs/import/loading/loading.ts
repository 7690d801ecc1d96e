import { Injectable } from '@nestjs/common';
import { BulkAppender } from '#event-store/append/append-bulk';
import { Loader } from '#event-store/loader';
import type { Position } from '#event-store/position';
import { Clock } from '#kernel/clock';
import { DomainError } from '#kernel/errors';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { WriteDatabase } from '#platform/database';
import type { RequestContext } from '#platform/request-context';
import { ACTIVE_DIVISIONS } from '#practice/divisions/division';
import { markChargedRates } from '#practice/tax-codes/tax-code.lookup';
import { operatorContext } from '#practice/tenants/operator.lookup';
import { HeldTenants } from '#projections/held-tenants';
import { ReachedPositions } from '#projections/reached-positions';
import { TenantFill } from '#projections/rebuild/tenant-fill';
import type { ImportRun } from '../import-run';
import { ExistingRecords } from '../records/existing-records';
import { groundOf, recordsOf } from '../records/records';
import { prepare } from '../records/staging-rows';
import { counted } from './load-progress';
import { StagingStreams } from './staging-streams';
import { StagingTenants } from './staging-tenants';

export const IMPORT = 'import';

/** Loads a valid import into a staging tenant, as ordinary events. */
@Injectable()
export class Loading {
  constructor(
    private readonly stagingTenants: StagingTenants,
    private readonly existing: ExistingRecords,
    private readonly database: WriteDatabase,
    private readonly bulk: BulkAppender,
    private readonly loader: Loader,
    private readonly held: HeldTenants,
    private readonly fill: TenantFill,
    private readonly reached: ReachedPositions,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a fresh staging tenant with all records of the import and copies of what it needs from its parent, and
   * waits until all read models show them. Another call, for example after a worker died, begins with another staging
   * tenant.
   * @throws the reason of the run's signal; DomainError `staging_alias_taken`, `part_of_existing`, `read_model_parked`,
   *   `store_unavailable`, or the refusal of a decider
   */
  async load(run: ImportRun): Promise<RegisteredTenant> {
    try {
      run.signal.throwIfAborted();
      const staging = await this.stagingTenants.open(run);
      const context = { ...operatorContext(staging), actor: run.requestedBy };
      await this.hold(staging);
      const position = await this.append(run, context);
      await this.fill.show(staging, run.signal);
      await this.reached.follow(staging, position, run.signal);
      return staging;
    } catch (error) {
      // Work that was aborted may fail with any error; the signal's reason is the cause.
      run.signal.throwIfAborted();
      throw error;
    }
  }

  /**
   * Releases the staging tenants that unfinished loads have left held: no read model can be rebuilt while a tenant is held.
   */
  async settle(signal: AbortSignal): Promise<void> {
    for (const tenant of await this.stagingTenants.abandoned(await this.held.newTenants()))
      await this.fill.show(tenant, signal);
  }

  /**
   * Holds the tenant in the read models until all events are appended. Stops at the first read model that is being
   * rebuilt: this one and the following ones show each batch instead.
   */
  private async hold(staging: RegisteredTenant): Promise<void> {
    try {
      await this.held.holdNew(staging);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'rebuild_running') throw error;
    }
  }

  /** Appends all events of the staging tenant. @returns the position of the last one */
  private async append(run: ImportRun, context: RequestContext): Promise<Position> {
    const client = await this.database.session(run.signal);
    try {
      await prepare(client, run.staging);
      const ground = await groundOf(client, run, this.existing, this.clock.now(), { [ACTIVE_DIVISIONS]: 0 });
      const streams = new StagingStreams(client, run, ground, this.existing);
      const all = streams.all(context.tenant, counted(run, recordsOf(client, run, ground)));
      const position = await this.bulk.append(context, all, IMPORT);
      const { usedRates } = ground.known;
      return (await markChargedRates(this.loader, this.bulk, context, usedRates, IMPORT)) ?? position!;
    } finally {
      await client.end();
    }
  }
}
