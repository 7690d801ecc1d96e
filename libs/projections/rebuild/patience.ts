import { setTimeout as delay } from 'node:timers/promises';
import { isTransient } from '#platform/database/connection-lost';
import { CheckpointMoved } from '../checkpoints';

const RETRY_MS = 500;
/** How long a rebuild waits for a database that is unavailable or cancels its statements. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Repeats an attempt until it is done. Each attempt resumes from where the previous ones ended.
 * @param attempt returns false if the work is not done yet although nothing failed
 * @param lost called for each attempt that failed because the database was unavailable; may throw to give up
 * @param progress grows with the work done: progress shows that the database was available, and restarts the waiting
 * time
 */
export async function patiently(
  attempt: () => Promise<boolean>,
  lost: () => void,
  progress = () => 0,
): Promise<void> {
  let reached = progress();
  for (let lostAt: number | undefined; ; await delay(RETRY_MS)) {
    try {
      if (await attempt()) return;
      lostAt = undefined;
    } catch (error) {
      // Another process is working on the generation after all.
      if (error instanceof CheckpointMoved) continue;
      if (!isTransient(error)) throw error;
      if (progress() > reached) {
        reached = progress();
        lostAt = undefined;
      }
      lostAt ??= performance.now();
      if (performance.now() - lostAt > PATIENCE_MS) throw error;
      lost();
    }
  }
}
