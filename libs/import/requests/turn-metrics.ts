import { Counter, Histogram, register } from 'prom-client';
import type { PromotionEnding } from '../promotion/promotion-requests';
import type { PromotionStep } from '../promotion/promotion-run';
import type { Outcome, Step } from './import-request';

const names = { ended: 'imports_ended_total', seconds: 'import_step_seconds', rows: 'import_rows_total' };
for (const name of Object.values(names)) register.removeSingleMetric(name);

const ended = new Counter({
  name: names.ended,
  help: 'Imports and promotions that a worker has ended, by outcome, as the API names it.',
  labelNames: ['kind', 'outcome'],
});
const seconds = new Histogram({
  name: names.seconds,
  help: 'How long a step of an import or a promotion took; after a change of workers, its last part.',
  labelNames: ['step'],
  buckets: [1, 5, 30, 120, 600, 1_800, 7_200, 28_800],
});
const rows = new Counter({
  name: names.rows,
  help: 'Rows that a step has read or made into records. Rows that a step repeats count again.',
  labelNames: ['step'],
});

const outcomes: { Import: Outcome[]; Promotion: PromotionEnding['outcome'][] } = {
  Import: ['Validated', 'ValidatedWithWarnings', 'ValidationFailed', 'Failed', 'Cancelled'],
  Promotion: ['Promoted', 'PromotionFailed', 'Cancelled'],
};
// A series that begins with 1 is no increase.
for (const [kind, possible] of Object.entries(outcomes))
  for (const outcome of possible) ended.inc({ kind, outcome }, 0);

/** The metrics of workers' turns; import-metrics.ts has those of the queue. */
export const turnMetrics = {
  ended(kind: keyof typeof outcomes, outcome: string): void {
    ended.inc({ kind, outcome });
  },
  /** @param milliseconds since the step began, or since the turn did */
  stepped(step: Step | PromotionStep, milliseconds: number): void {
    // A turn finds a new import in this state, which is no work.
    if (step !== 'Queued') seconds.observe({ step }, milliseconds / 1000);
  },
  worked(step: Step | PromotionStep, count: number): void {
    rows.inc({ step }, count);
  },
};
