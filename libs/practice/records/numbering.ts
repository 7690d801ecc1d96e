import type { AnyDefinition } from '#event-store/events';
import { holding } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';

/** Numbers from a request that advance the counter. Larger ones do not, so the counter could meet them. */
const FOLLOWED = /^[1-9]\d{0,14}$/;

/** The number that a text stands for, if a counter could reach it; otherwise 0. */
export function wholeNumber(given: string): number {
  return FOLLOWED.test(given) ? Number(given) : 0;
}

/** Assigns the counter's next number. @param used the counter's value: the last number that it has assigned */
export function nextNumber(work: UnitOfWork, counter: string, used: number): string {
  work.count(counter, used, used + 1);
  return String(used + 1);
}

/** Advances the counter past a number from a request that it would reach some day, so that the two never collide. */
export function follow(work: UnitOfWork, counter: string, given: string, used: number): void {
  const number = wholeNumber(given);
  if (number > used) work.count(counter, used, number);
}

/**
 * The number of a new record: the one from the request, or the counter's next.
 * @param definition the definition of records whose numbers are natural keys of the counter's name
 */
export async function takeNumber(
  work: UnitOfWork,
  definition: AnyDefinition,
  counter: string,
  given: string | null | undefined,
  used: number,
): Promise<string> {
  if (given !== null && given !== undefined) {
    follow(work, counter, given, used);
    return given;
  }
  let free = used;
  const isTaken = async (key: string) =>
    (await work.load({ holder: holding(definition, { kind: counter, key }) })).holder !== undefined;
  while (!FOLLOWED.test(String(free + 1)) && (await isTaken(String(free + 1)))) free++;
  work.count(counter, used, free + 1);
  return String(free + 1);
}
