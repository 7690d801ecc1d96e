import { Logger } from '@nestjs/common';
import { SystemClock } from '#kernel/clock';
import type { Config } from '#platform/config';
import type { WriteDatabase } from '#platform/database';
import type { FailureWatch } from '../delivery/failure-watch';
import type { WebhookRequests } from '../webhook-requests';
import type { ErasedAnswers } from './erased-answers';
import { WebhookPruning } from './pruning';

const MINUTES = 3;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Runs for some minutes. @returns how often each task was begun */
async function begun({ sweep = async () => {}, query = async () => ({ rows: [], rowCount: 0 }) }) {
  const counts = { sweep: 0, close: 0, wipe: 0, prune: 0, forget: 0 };
  const count = (task: keyof typeof counts) => async () => {
    counts[task]++;
  };
  const watch = { sweep: () => count('sweep')().then(sweep) } as FailureWatch;
  const requests = { forget: count('forget') } as WebhookRequests;
  const answers = { wipeOver: count('wipe') } as ErasedAnswers;
  const pruning = new WebhookPruning(
    { pool: { query } } as unknown as WriteDatabase,
    watch,
    requests,
    new SystemClock(),
    { WEBHOOKS_LOG_DAYS: 30 } as Config,
    answers,
  );
  const { closeDisabled, prune } = pruning;
  pruning.closeDisabled = () => count('close')().then(() => closeDisabled.call(pruning));
  pruning.prune = () => count('prune')().then(() => prune.call(pruning));
  pruning.start();
  await jest.advanceTimersByTimeAsync(MINUTES * 60_000);
  pruning.onApplicationShutdown();
  return counts;
}

it('what is repeated every minute is repeated although failing webhooks cannot be looked at', async () => {
  const warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const sweep = async () => {
    throw new Error('away');
  };
  expect(await begun({ sweep })).toEqual({ sweep: 3, close: 3, wipe: 3, prune: 3, forget: 3 });
  expect(warned.mock.calls).toEqual(Array(MINUTES).fill([expect.stringContaining('away')]));
  warned.mockRestore();
});

it('answers are wiped and deliveries of disabled webhooks fail while a large log is pruned for minutes', async () => {
  const query = (sql: string) =>
    sql.includes('recursive') ? new Promise<never>(() => {}) : Promise.resolve({ rows: [], rowCount: 0 });
  expect(await begun({ query: query as never })).toEqual({
    sweep: 3,
    close: 3,
    wipe: 3,
    prune: 1,
    forget: 3,
  });
});
