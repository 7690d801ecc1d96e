import { setTimeout as delay } from 'node:timers/promises';
import { isTransient } from '#platform/database/connection-lost';
import { CheckpointMoved } from '../checkpoints';

const RETRY_MS = 500;
/** How long a rebuild waits for a database that went away, or gives up what it asks. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Tries until it is done, from wherever what was tried before has come to.
 * @param attempt false: not done yet, although nothing went wrong
 * @param lost called for each attempt that ended for want of the database; may throw to give up
 * @param progress grows with what came of it: the database was there then, and is waited for as long again
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
      // Somebody else has this generation in hand, after all.
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
