import { DateTime } from 'luxon';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The wait after the first failure, the second, and so on. One more attempt follows the last of these waits. */
const steps = [
  5 * SECOND,
  10 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/**
 * The random deviation of a wait, to either side, as a share of it: receivers that failed together are not called
 * together again.
 */
const spread = 0.2;

/**
 * The longest Retry-After, as a multiple of the planned wait: a receiver that asks for a later day does not stop the
 * schedule.
 */
const longestRetryAfter = 2;

/** The longest Retry-After that is read, in seconds: a receiver may write any number. */
const longestSeconds = 366 * 24 * 3600;

/**
 * When a failed delivery is tried again; undefined when it is not.
 * @param failures failed attempts so far, 1 or more
 * @param random returns a number of [0, 1)
 * @param retryAfter the time that the receiver asked for: it makes the wait longer, never shorter
 */
export function nextAttempt(
  failures: number,
  failedAt: Date,
  random: () => number,
  retryAfter?: Date | undefined,
): Date | undefined {
  if (!Number.isInteger(failures) || failures < 1)
    throw new RangeError(`An attempt follows 1 or more failures, not ${failures}.`);
  const step = steps[failures - 1];
  if (step === undefined) return undefined;
  const planned = failedAt.getTime() + Math.round(step * (1 - spread + 2 * spread * random()));
  const asked = retryAfter
    ? Math.min(retryAfter.getTime(), failedAt.getTime() + longestRetryAfter * step)
    : planned;
  return new Date(Math.max(planned, asked));
}

/**
 * Reads a Retry-After header: seconds or an HTTP date. Undefined when it is absent or cannot be understood.
 * @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function readRetryAfter(value: string | undefined, now: Date): Date | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return new Date(now.getTime() + Math.min(Number(text), longestSeconds) * SECOND);
  const date = DateTime.fromHTTP(text);
  return date.isValid ? date.toJSDate() : undefined;
}
