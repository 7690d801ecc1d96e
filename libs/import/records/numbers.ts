import type { NaturalKey } from '#kernel/decider';
import { CLIENT_NUMBER } from '#practice/clients/client';
import { INVOICE_NUMBER } from '#practice/invoices/invoice';
import { MATTER_NUMBER } from '#practice/matters/matter';
import { wholeNumber } from '#practice/records/numbering';

/** Counters of numbers. Each name is also the kind of the natural keys whose next value the counter assigns. */
export const NUMBER_COUNTERS = [CLIENT_NUMBER, MATTER_NUMBER, INVOICE_NUMBER];

/** By counter: the number among a record's keys that the counter could reach. The counter continues after it. */
export function countersOf(keys: readonly NaturalKey[]): Record<string, number> {
  const numbers = keys.filter(({ kind, key }) => NUMBER_COUNTERS.includes(kind) && wholeNumber(key) > 0);
  return Object.fromEntries(numbers.map(({ kind, key }) => [kind, wholeNumber(key)]));
}

/** Assigns numbers to new records: never one that a row of the import has, or that the tenant has assigned. */
export class Numbers {
  /** @param used by counter: the last number that was assigned or that a row has */
  constructor(private readonly used: Record<string, number>) {}

  /** By counter: the last number in use. */
  get last(): Readonly<Record<string, number>> {
    return this.used;
  }

  /** The number that a row has, or the counter's next one. */
  take(counter: string, given: string | null): { number: string; counters?: Record<string, number> } {
    if (given === null) {
      const next = this.count(counter);
      return { number: String(next), counters: { [counter]: next } };
    }
    const whole = wholeNumber(given);
    return { number: given, counters: whole > 0 ? { [counter]: whole } : undefined };
  }

  /** Advances a counter. @returns its next number */
  count(counter: string): number {
    const next = (this.used[counter] ?? 0) + 1;
    this.used[counter] = next;
    return next;
  }
}
