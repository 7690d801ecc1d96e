import { invalid } from '#kernel/errors';

/** The size that the caller asks for. */
export interface DemoOptions {
  /** Work items. */
  items: number;
  /** Years of history, up to today. */
  years: number;
  /** The same seed makes the same firm on the same day. */
  seed?: number;
  feeEarners?: number;
  matters?: number;
}

export interface DemoSize {
  items: number;
  years: number;
  seed: number;
  feeEarners: number;
  matters: number;
}

const LIMITS: Record<keyof DemoSize, [from: number, to: number]> = {
  items: [1, 10_000_000],
  years: [1, 20],
  seed: [0, 4_294_967_295],
  feeEarners: [1, 5_000],
  matters: [1, 1_000_000],
};

/**
 * The size of a firm with the given amount of work. One million items make 200 fee earners and 20,000 matters.
 * @throws DomainError `invalid_size` (422)
 */
export function sizeOf({ items, years, seed = 1, ...given }: DemoOptions): DemoSize {
  const size: DemoSize = {
    items,
    years,
    seed,
    feeEarners: given.feeEarners ?? Math.max(5, Math.round(Math.sqrt(items) / 5)),
    matters: given.matters ?? Math.max(12, Math.round(items / 50)),
  };
  for (const [name, [from, to]] of Object.entries(LIMITS)) {
    const value = size[name as keyof DemoSize];
    if (!Number.isInteger(value) || value < from || value > to)
      throw invalid('invalid_size', `${name} must be a whole number from ${from} to ${to}.`, name);
  }
  return size;
}
