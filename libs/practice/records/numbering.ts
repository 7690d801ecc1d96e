import type { UnitOfWork } from '#event-store/unit-of-work';

/**
 * The number of a new record: the one given, or the counter's next. A given number that the counter would reach one
 * day moves it on, so that given and next never meet.
 * @param used the counter's value: the last number that it gave
 */
export function takeNumber(
  work: UnitOfWork,
  counter: string,
  given: string | null | undefined,
  used: number,
): string {
  if (given === null || given === undefined) {
    work.count(counter, used, used + 1);
    return String(used + 1);
  }
  const number = /^[1-9]\d{0,14}$/.test(given) ? Number(given) : 0;
  if (number > used) work.count(counter, used, number);
  return given;
}
