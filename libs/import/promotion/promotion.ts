import { Injectable } from '@nestjs/common';
import { BulkAppender, type BulkStream } from '#event-store/append/append-bulk';
import { ClosedTenants } from '#event-store/closed-tenants';
import type { Folded } from '#event-store/events';
import { at } from '#event-store/load';
import { Loader } from '#event-store/loader';
import { Clock } from '#kernel/clock';
import { type Id, toId } from '#kernel/ids';
import { operatorContext } from '#practice/tenants/operator.lookup';
import { Tenant, type TenantState } from '#practice/tenants/tenant';
import { HeldTenants } from '#projections/held-tenants';
import { TenantRenewal } from '#projections/rebuild/tenant-renewal';
import { IMPORT } from '../loading/loading';
import { Validation } from '../validation/validation';
import { ImportedRecords } from './imported-records';
import { PromotionAppend } from './promotion-append';
import type { Promoted, PromotedCounts, PromotionRun } from './promotion-run';

/**
 * Brings a validated import to its tenant, where all of it becomes visible at one moment. The tenant takes no writes
 * meanwhile. Every step can be run again: whoever takes over from a worker that died goes on with the step at which it
 * was.
 */
@Injectable()
export class Promotion {
  constructor(
    private readonly closed: ClosedTenants,
    private readonly held: HeldTenants,
    private readonly validation: Validation,
    private readonly appending: PromotionAppend,
    private readonly renewal: TenantRenewal,
    private readonly bulk: BulkAppender,
    private readonly loader: Loader,
    private readonly imported: ImportedRecords,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the errors that were found when the import was checked against the tenant as it is now, and nothing has
   * happened then; else what has arrived
   * @throws the reason of the run's signal; LeaseLost; DomainError `rebuild_running` while read models are being rebuilt
   */
  async promote(run: PromotionRun): Promise<Promoted> {
    const { tenant, signal } = run;
    await run.owning((client) => this.closed.close(tenant.id, 'promotion_in_progress', client));
    await this.held.hold(tenant);
    if (run.step === 'Checking') {
      const { errors } = await this.validation.validate(run);
      signal.throwIfAborted();
      if (errors > 0) {
        await this.letGo(run);
        return { errors };
      }
      await run.advance('Appending');
    }
    if (run.step === 'Appending') {
      await this.appending.append(run);
      await run.advance('Renewing');
    }
    if (run.step === 'Renewing') {
      await this.renewal.renew(tenant, { signal });
      await run.advance('Announcing');
    }
    const counts = await this.imported.counts(tenant, run.requestId);
    // Whoever stood still until here may find the next promotion under way.
    await run.owning(async () => undefined);
    await this.held.release(tenant);
    await this.announce(run, counts);
    await run.owning((client) => this.closed.open(tenant.id, client));
    await this.renewal.sweep(signal);
    return counts;
  }

  /**
   * The tenant goes on as it is: before anything was appended, or when the promotion went to other hands and has ended
   * there. It stays closed for a promotion that goes on without this turn.
   */
  letGo(run: Pick<PromotionRun, 'tenant' | 'goesOn'>): Promise<void> {
    const { tenant } = run;
    return this.closed.openIf(tenant.id, async (client) => {
      if (await run.goesOn(client)) return false;
      await this.held.release(tenant);
      return true;
    });
  }

  /** Once, however often the step is begun. */
  private async announce(run: PromotionRun, records: PromotedCounts): Promise<void> {
    const { tenant, requestId, requestedBy } = run;
    const id: Id = toId('tenant', tenant.streamId);
    const [found] = (await this.loader.load(tenant.id, [at(Tenant, id)])) as Folded<TenantState>[];
    if (found.data.lastImport?.requestId === requestId) return;
    const sourceSystem = await this.appending.sourceSystem(run);
    const data = { requestId, sourceSystem, records, at: this.clock.now().toISOString() };
    const stream: BulkStream = {
      definition: Tenant,
      id,
      before: found,
      events: [{ type: 'ImportPromoted', data }],
    };
    await this.bulk.append({ ...operatorContext(tenant), actor: requestedBy }, [stream], IMPORT);
  }
}
