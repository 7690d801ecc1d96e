import type { NaturalKey } from '#kernel/decider';
import { CLIENT_NUMBER } from '#practice/clients/client';
import { INVOICE_NUMBER } from '#practice/invoices/invoice';
import { MATTER_NUMBER } from '#practice/matters/matter';
import { wholeNumber } from '#practice/records/numbering';

/** Counters of numbers. Each is also the kind of the natural keys that it numbers. */
export const NUMBER_COUNTERS = [CLIENT_NUMBER, MATTER_NUMBER, INVOICE_NUMBER];

/** By counter, the number among a record's keys that the counter could reach: it continues after that number. */
export function countersOf(keys: readonly NaturalKey[]): Record<string, number> {
  const numbers = keys.filter(({ kind, key }) => NUMBER_COUNTERS.includes(kind) && wholeNumber(key) > 0);
  return Object.fromEntries(numbers.map(({ kind, key }) => [kind, wholeNumber(key)]));
}

/** Gives numbers to new records: never one that a row of the import has, nor one that the tenant has given. */
export class Numbers {
  /** @param last by counter, the last number that was given or that a row has */
  constructor(readonly last: Record<string, number>) {}

  /** The number that a row has, or the counter's next. */
  take(counter: string, given: string | null): { number: string; counters?: Record<string, number> } {
    if (given === null) {
      const next = this.count(counter);
      return { number: String(next), counters: { [counter]: next } };
    }
    const whole = wholeNumber(given);
    return { number: given, counters: whole > 0 ? { [counter]: whole } : undefined };
  }

  /** Increments the counter and returns it. */
  count(counter: string): number {
    const next = (this.last[counter] ?? 0) + 1;
    this.last[counter] = next;
    return next;
  }
}
