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
import { ImportedRecords, type PromotedCounts } from '../arrivals/imported-records';
import { IMPORT } from '../loading/loading';
import { Validation } from '../validation/validation';
import { PromotionAppend } from './promotion-append';
import type { Promoted, PromotionRun } from './promotion-run';

/**
 * Brings a validated import into its tenant, where all of it becomes visible at one moment. Until then the tenant takes no
 * writes. Every step can be repeated: a worker that takes over from one that died continues with that one's step.
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
   * Promotes an import, from the run's step on.
   * @returns the number of errors from checking the import against the tenant's current records, when nothing has changed;
   *   otherwise the number of records that have arrived
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
    // A worker that was frozen until here must not release the tenant of the next promotion.
    await run.owning(async () => undefined);
    await this.held.release(tenant);
    await this.announce(run, counts);
    await run.owning((client) => this.closed.open(tenant.id, client));
    await this.renewal.sweep(signal);
    return counts;
  }

  /**
   * Opens the tenant again for writes and reads, when nothing was appended or when another worker has ended the
   * promotion. Does nothing while another turn continues a promotion to the tenant.
   */
  letGo(run: Pick<PromotionRun, 'tenant' | 'goesOn'>): Promise<void> {
    const { tenant } = run;
    return this.closed.openIf(tenant.id, async (client) => {
      if (await run.goesOn(client)) return false;
      await this.held.release(tenant);
      return true;
    });
  }

  /** Appends the event that announces the promotion: only once, however often the step is repeated. */
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
