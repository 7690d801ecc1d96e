import type { AnyDefinition } from '#event-store/events';
import { holding } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';

/** Given numbers that move the counter on: beyond, what it gives may have been given. */
const FOLLOWED = /^[1-9]\d{0,14}$/;

/** A number that a counter could come to; 0 of any other text. */
export function wholeNumber(given: string): number {
  return FOLLOWED.test(given) ? Number(given) : 0;
}

/** The counter's next number. @param used its value: the last number that it gave */
export function nextNumber(work: UnitOfWork, counter: string, used: number): string {
  work.count(counter, used, used + 1);
  return String(used + 1);
}

/** A given number that the counter would reach one day moves it on, so that given and next never meet. */
export function follow(work: UnitOfWork, counter: string, given: string, used: number): void {
  const number = wholeNumber(given);
  if (number > used) work.count(counter, used, number);
}

/**
 * The number of a new record: the one given, or the counter's next.
 * @param definition of records whose numbers are natural keys, of the counter's name
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
