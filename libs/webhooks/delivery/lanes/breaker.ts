/** The state of a receiver's circuit breaker. */
export interface Standing {
  /** Failed attempts in a row. */
  failures: number;
  /** Nothing is sent until then; after that one delivery at a time, until one succeeds. */
  openUntil: Date | null;
  /** The first failure since the last success. */
  failingSince: Date | null;
}

const OPENS_AT = 5;
const OPEN_MS = 30_000;
const LONGEST_MS = 300_000;
/** The clocks of workers may differ by a minute; a breaker that is open for longer was opened by a clock that ran ahead. */
export const FARTHEST_MS = LONGEST_MS + 60_000;

function isOpen({ openUntil }: Standing, now: Date): boolean {
  const left = (openUntil?.getTime() ?? 0) - now.getTime();
  return left > 0 && left <= FARTHEST_MS;
}

/** How many deliveries may be under way at once: none while the breaker is open, one after that. */
export function mayBeUnderWay(standing: Standing, concurrency: number, now: Date): number {
  if (standing.openUntil === null) return concurrency;
  return isOpen(standing, now) ? 0 : 1;
}

export const WELL: Standing = { failures: 0, openUntil: null, failingSince: null };

/**
 * The standing after a failure. A failure of an attempt that was under way when the breaker opened tells nothing new.
 */
export function afterFailure(standing: Standing, began: Date, ended = began): Standing {
  // Attempts do not end in the order in which they began.
  const failingSince = standing.failingSince && standing.failingSince < began ? standing.failingSince : began;
  if (isOpen(standing, began)) return { ...standing, failingSince };
  const failures = standing.failures + 1;
  if (failures < OPENS_AT) return { failures, openUntil: null, failingSince };
  const openMs = Math.min(LONGEST_MS, OPEN_MS * 2 ** (failures - OPENS_AT));
  return { failures, openUntil: new Date(ended.getTime() + openMs), failingSince };
}
