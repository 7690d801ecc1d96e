import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { BulkAppender, type BulkStream } from '#event-store/append-bulk';
import type { Folded } from '#event-store/events';
import { at } from '#event-store/load';
import { Loader } from '#event-store/loader';
import { Clock } from '#kernel/clock';
import type { Id } from '#kernel/ids';
import { WriteDatabase } from '#platform/database';
import type { RequestContext } from '#platform/request-context';
import { RateSet, type RateSetState } from '#practice/rate-sets/rate-set';
import { markTaxRateUsed, TaxCode, type TaxCodeState } from '#practice/tax-codes/tax-code.lookup';
import { operatorContext } from '#practice/tenants/operator.lookup';
import { LoadProgress } from '../loading/load-progress';
import { IMPORT } from '../loading/loading';
import { ExistingRecords, isOwn, learnExisting } from '../records/existing-records';
import type { Ground } from '../records/imported-record';
import { KnownRecords } from '../records/known-records';
import { bringsDefaultRates } from '../records/record-queries';
import { groundOf, recordsOf } from '../records/records';
import { OwnRecords, referredRecords } from '../records/references';
import { prepare } from '../records/staging-rows';
import { type Arrival, Arrivals, type Hindrance } from './arrivals';
import { ImportedRecords } from './imported-records';
import type { PromotionRun } from './promotion-run';

/** Brings the records of an import to the tenant's streams. */
@Injectable()
export class PromotionAppend {
  constructor(
    private readonly existing: ExistingRecords,
    private readonly arrivals: Arrivals,
    private readonly imported: ImportedRecords,
    private readonly bulk: BulkAppender,
    private readonly loader: Loader,
    private readonly database: WriteDatabase,
    private readonly clock: Clock,
  ) {}

  /**
   * Looks for changed rows that cannot arrive, and adds them to the findings.
   * @returns how many there are
   */
  async check(run: PromotionRun): Promise<number> {
    // Nothing of a first import has changed.
    if (!(await this.imported.any(run.tenant))) return 0;
    return this.reading(run, async (client, ground) => {
      const hindrances: Hindrance[] = [];
      const records = recordsOf(client, run, ground);
      for await (const _ of this.arrivals.of(run.tenant, records, ground, (one) => hindrances.push(one)));
      await this.writeDown(run, hindrances);
      return hindrances.length;
    });
  }

  /** What was appended before a death is not appended again. */
  async append(run: PromotionRun): Promise<void> {
    const { tenant, requestId, requestedBy } = run;
    const context = { ...operatorContext(tenant), actor: requestedBy };
    await this.reading(run, async (client, ground) => {
      await this.yieldDefaultRates(run, context, client);
      const records = new LoadProgress(run).counted(recordsOf(client, run, ground));
      const arrivals = this.arrivals.of(tenant, records, ground, ({ table, importId, message }) => {
        // The tenant has been closed since it was checked.
        throw new Error(`${table} ${importId}: ${message}`);
      });
      await this.bulk.append<Arrival>(context, arrivals, IMPORT, {
        within: (own, { streams }) => this.imported.leave(own, tenant, requestId, streams),
      });
      await this.markUsed(context, ground.known);
    });
  }

  /** As the import names it. */
  async sourceSystem({ staging }: Pick<PromotionRun, 'staging'>): Promise<string> {
    const { rows } = await this.database.pool.query<{ name: string }>(
      `select "SourceSystem" as name from ${staging.table({ name: 'Info' })}`,
    );
    return rows[0].name;
  }

  private async reading<Result>(
    run: PromotionRun,
    work: (client: Client, ground: Ground) => Promise<Result>,
  ): Promise<Result> {
    const { tenant, staging, signal } = run;
    const client = await this.database.session(signal);
    try {
      await prepare(client, staging);
      const known = new KnownRecords();
      const settings = await this.existing.settings(tenant);
      const counters = await this.existing.counters(tenant);
      const keepsDefaultRates = (await this.startRates(run)) === undefined;
      const now = this.clock.now();
      const ground = await groundOf(client, run, { settings, known, counters, keepsDefaultRates, now });
      const own = new OwnRecords(client, staging, ground.ids);
      const ids = [...(await this.existing.foundations(tenant)), ...(await referredRecords(client, staging))];
      for await (const one of this.existing.withReferences(tenant, ids, own, signal))
        learnExisting(known, one);
      return await work(client, ground);
    } catch (error) {
      // Whatever failed because of the abort: what was aborted with says why.
      signal.throwIfAborted();
      throw error;
    } finally {
      await client.end();
    }
  }

  /** The rates that the tenant began with and nobody has made its own. */
  private async startRates({ tenant }: PromotionRun): Promise<Folded<RateSetState> | undefined> {
    const rates = await this.existing.defaultRates(tenant);
    if (!rates || isOwn(rates)) return undefined;
    const imported = await this.imported.of(tenant, [rates.id]);
    return imported.has(rates.id) ? undefined : rates;
  }

  /** As whoever makes other rates the default does. */
  private async yieldDefaultRates(run: PromotionRun, context: RequestContext, client: Client): Promise<void> {
    const before = await this.startRates(run);
    if (!before || !(await bringsDefaultRates(client, run.staging))) return;
    const events = [{ type: 'RateSetUpdated', data: { isDefault: false } }];
    await this.bulk.append(context, [{ definition: RateSet, id: before.id, before, events }], IMPORT);
  }

  /** The rates that its invoices have charged stay as they are. */
  private async markUsed(context: RequestContext, { usedRates }: KnownRecords): Promise<void> {
    const { tenant } = context;
    const ids = [...usedRates.keys()] as Id[];
    const codes = (await this.loader.load(
      tenant.id,
      ids.map((id) => at(TaxCode, id)),
    )) as Folded<TaxCodeState>[];
    const streams = codes.map((before): BulkStream => {
      const days = [...usedRates.get(before.id)!];
      const events = days.flatMap((from) => markTaxRateUsed(before.data, { percent: '0', from }));
      return { definition: TaxCode, id: before.id, before, events };
    });
    await this.bulk.append(context, streams, IMPORT);
  }

  private async writeDown({ requestId }: PromotionRun, hindrances: readonly Hindrance[]): Promise<void> {
    await this.database.pool.query(
      `insert into import.findings (request_id, severity, code, table_name, import_id, message)
       select $1, 'error', h.* from unnest($2::text[], $3::text[], $4::text[], $5::text[]) h`,
      [
        requestId,
        hindrances.map(({ code }) => code),
        hindrances.map(({ table }) => table),
        hindrances.map(({ importId }) => importId),
        hindrances.map(({ message }) => message),
      ],
    );
  }
}
