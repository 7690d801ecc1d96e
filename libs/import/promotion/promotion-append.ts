import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { BulkAppender } from '#event-store/append/append-bulk';
import type { ReservedKey } from '#event-store/append/append-job';
import { Loader } from '#event-store/loader';
import { WriteDatabase } from '#platform/database';
import type { RequestContext } from '#platform/request-context';
import { RateSet } from '#practice/rate-sets/rate-set';
import { markChargedRates } from '#practice/tax-codes/tax-code.lookup';
import { operatorContext } from '#practice/tenants/operator.lookup';
import { type Arrival, Arrivals } from '../arrivals/arrivals';
import { ImportedRecords } from '../arrivals/imported-records';
import { TenantGround } from '../arrivals/tenant-ground';
import { counted } from '../loading/load-progress';
import { IMPORT } from '../loading/loading';
import { ExistingRecords } from '../records/existing-records';
import type { Ground } from '../records/imported-record';
import { bringsDefaultRates } from '../records/record-queries';
import { recordsOf } from '../records/records';
import { CheckedRows } from '../validation/checked-rows';
import { keysGivenUp } from '../validation/tenant/unique-keys';
import type { PromotionRun } from './promotion-run';

/** Appends the records of an import to the tenant's streams. */
@Injectable()
export class PromotionAppend {
  constructor(
    private readonly ground: TenantGround,
    private readonly existing: ExistingRecords,
    private readonly arrivals: Arrivals,
    private readonly imported: ImportedRecords,
    private readonly bulk: BulkAppender,
    private readonly loader: Loader,
    private readonly database: WriteDatabase,
    private readonly checked: CheckedRows,
  ) {}

  /** Appends everything that earlier turns, which may have died, have not appended. */
  async append(run: PromotionRun): Promise<void> {
    const { tenant, requestId, requestedBy } = run;
    const context = { ...operatorContext(tenant), actor: requestedBy };
    await this.bulk.release(context, await this.keysGivenUp(run));
    await this.ground.reading(run, async (client, ground) => {
      await this.yieldDefaultRates(run, context, client, ground);
      const records = counted(run, recordsOf(client, run, ground));
      const arrivals = this.arrivals.of(tenant, records, ground, ({ table, importId, message }) => {
        // The records were checked before, and the tenant has taken no writes since: this is a bug.
        throw new Error(`${table} ${importId}: ${message}`);
      });
      await this.bulk.append<Arrival>(context, arrivals, IMPORT, {
        within: (own, { streams }) => this.imported.leave(own, tenant, requestId, streams),
      });
      await markChargedRates(this.loader, this.bulk, context, ground.known.usedRates, IMPORT);
    });
  }

  /** The source system's name, from the import's Info. */
  async sourceSystem({ staging }: Pick<PromotionRun, 'staging'>): Promise<string> {
    const { rows } = await this.database.pool.query<{ name: string }>(
      `select "SourceSystem" as name from ${staging.table('Info')}`,
    );
    return rows[0].name;
  }

  /**
   * Natural keys that changed rows give up: the record that takes a key may be appended long before its holder, or
   * without it.
   */
  private keysGivenUp(run: PromotionRun): Promise<ReservedKey[]> {
    return this.checked.session(run, async (session) => {
      await this.checked.keep(session, run);
      return keysGivenUp(session);
    });
  }

  /** Takes the default flag from the rate set that the tenant began with, as a command for another default would. */
  private async yieldDefaultRates(
    { tenant, staging }: PromotionRun,
    context: RequestContext,
    client: Client,
    { keepsDefaultRates }: Ground,
  ): Promise<void> {
    if (keepsDefaultRates || !(await bringsDefaultRates(client, staging))) return;
    const before = await this.existing.defaultRates(tenant);
    // An earlier turn may have taken it.
    if (!before) return;
    const events = [{ type: 'RateSetUpdated', data: { isDefault: false } }];
    await this.bulk.append(context, [{ definition: RateSet, id: before.id, before, events }], IMPORT);
  }
}
