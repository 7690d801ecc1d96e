import { randomInt } from 'node:crypto';
import * as fc from 'fast-check';
import { projectionParts } from '#projections/testing/parts';
import { SetClock } from '../../../test/support/set-clock';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import { costRecoveriesProjection } from '../cost-recoveries/cost-recovery.projection';
import {
  aggregateBooks,
  balanceOf,
  ledgerBooks,
  ledgerFacts,
  readBooks,
  readFacts,
} from '../testing/billing-books';
import { createBillingFirm } from '../testing/billing-firm';
import { BillingLife } from '../testing/billing-life';
import { billingActions, billingHistory } from '../testing/billing-steps';
import { project } from '../testing/firm';
import { feeAnalysisProjection } from '../work-items/fee-analysis.projection';
import { workItemsProjection } from '../work-items/work-item.projection';
import { invoicesProjection } from './invoice.projection';

const models = [workItemsProjection, costRecoveriesProjection, invoicesProjection, feeAnalysisProjection];
const unitLength = fc.constantFrom(1, 5, 6, 7, 7.5, 10, 15);
const unitLengths = fc.tuple(unitLength, unitLength);
const seed = Number(process.env.BILLING_SEED ?? randomInt(2 ** 31));
const RUNS = 50;
const numRuns = Number(process.env.BILLING_RUNS ?? RUNS);

/** BILLING_SEED=… repeats the same histories. BILLING_RUNS=… sets their number. */
describe(`random billing histories (BILLING_SEED=${seed})`, () => {
  let store: TestStore;
  const clock = new SetClock(new Date());

  beforeAll(async () => {
    store = await createTestStore(definitions, clock);
  });
  afterAll(() => store.close());

  it('give the same figures as a naive ledger, in the aggregates, the read models and fee analysis', async () => {
    const { reconciliation } = projectionParts(store, models);
    let reconciled = 0;
    const done = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(billingHistory, unitLengths, async (steps, minutes) => {
        clock.at = new Date('2026-01-10T12:00:00.000Z');
        const firm = await createBillingFirm(store, minutes);
        const life = new BillingLife(firm, clock);
        for (const step of steps) await life.live(step);
        const books = ledgerBooks(life);
        expect(await aggregateBooks(store, firm, books)).toEqual(books);
        await project(store, firm.context, models);
        expect(await readBooks(store, firm)).toEqual(books);
        expect(await readFacts(store, firm)).toEqual(ledgerFacts(life));
        const { flow, unbilled } = await balanceOf(store, firm);
        for (const [index, sum] of flow.entries()) expect(sum).toBeCloseTo(unbilled[index], 6);
        for (const { rows, differences } of await reconciliation.run(firm.context.tenant.alias)) {
          expect(differences).toEqual([]);
          reconciled += rows;
        }
        for (const [what, count] of life.witness.done) done.set(what, (done.get(what) ?? 0) + count);
      }),
      { seed, numRuns, interruptAfterTimeLimit: 240_000, markInterruptAsFailure: true },
    );
    expect(reconciled).toBeGreaterThan(0);
    // An action that never succeeded was not tested. With few runs some actions may be missing.
    const missing = billingActions.filter((action) => !done.has(`${action} done`));
    if (numRuns >= RUNS) expect(missing).toEqual([]);
  });
});
