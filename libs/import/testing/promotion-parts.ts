import { ClosedTenants } from '#event-store/closed-tenants';
import { SystemClock } from '#kernel/clock';
import { allProjections } from '#practice/testing/projected-firms';
import { projectionParts } from '#projections/testing/parts';
import { Arrivals } from '../arrivals/arrivals';
import { Comparison } from '../arrivals/comparison';
import { ImportedRecords } from '../arrivals/imported-records';
import { TenantGround } from '../arrivals/tenant-ground';
import type { ImportRun } from '../import-run';
import { Promotion } from '../promotion/promotion';
import { PromotionAppend } from '../promotion/promotion-append';
import type { PromotionRun, PromotionStep } from '../promotion/promotion-run';
import { CheckedRows } from '../validation/checked-rows';
import { Validation } from '../validation/validation';
import type { Imports } from './import-parts';
import { stageSource } from './staged-source';

/** The services of a worker that promotes imports to the tenant of `openImports`. */
export function promotionParts({ store, existing, bulk, client, run }: Imports) {
  const clock = new SystemClock();
  const { writes, loader } = store;
  const imported = new ImportedRecords(writes);
  const arrivals = new Arrivals(loader, imported);
  const ground = new TenantGround(existing, writes, clock);
  const comparison = new Comparison(ground, arrivals, imported);
  const checked = new CheckedRows(writes, existing, comparison, clock);
  const append = new PromotionAppend(ground, existing, arrivals, imported, bulk, loader, writes, checked);
  const validation = new Validation(checked);
  const { held, renewal } = projectionParts(store, allProjections);
  const closed = new ClosedTenants(writes);
  const promotion = new Promotion(
    ...([closed, held, validation, append, renewal, bulk, loader, imported, clock] as const),
  );
  return {
    closed,
    held,
    promotion,

    /**
     * A turn at the promotion of an import that counts as validated. Its rows are those of the schema `etl`, or what
     * `fill` stages.
     */
    async staged(
      fill = (turn: ImportRun) => stageSource(client, turn.staging),
    ): Promise<PromotionRun & { steps: PromotionStep[] }> {
      const turn = await run();
      await fill(turn);
      await client.query(`update import.requests set status = 'Promoting' where id = $1`, [turn.requestId]);
      return turnAt(turn, 'Checking');
    },

    /** The turn of the next worker at the same promotion. */
    again: ({ steps, ...turn }: PromotionRun & { steps: PromotionStep[] }) =>
      turnAt({ ...turn, signal: new AbortController().signal }, steps.at(-1) ?? 'Checking', steps),

    /** Ends the promotion's request, so that another import may begin. */
    async over({ requestId }: Pick<PromotionRun, 'requestId'>): Promise<void> {
      await client.query(`update import.requests set status = 'Promoted' where id = $1`, [requestId]);
    },

    async findings({ requestId }: Pick<PromotionRun, 'requestId'>) {
      const { rows } = await client.query<{ code: string; table: string; importId: string; message: string }>(
        `select code, table_name as table, import_id as "importId", message from import.findings
         where request_id = $1 order by id`,
        [requestId],
      );
      return rows;
    },
  };
}

function turnAt(
  turn: ImportRun,
  step: PromotionStep,
  steps: PromotionStep[] = [],
): PromotionRun & { steps: PromotionStep[] } {
  const own = { ...turn, steps, step };
  return {
    ...own,
    // A getter, since the promotion reads the step again after each change.
    get step() {
      return steps.at(-1) ?? step;
    },
    async advance(next) {
      turn.signal.throwIfAborted();
      steps.push(next);
    },
    // No other worker takes the promotion over.
    goesOn: async () => false,
  };
}
