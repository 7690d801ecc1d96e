import { cpus } from 'node:os';

/** One side of a comparison. It works for the given time and returns its rate per second. */
export interface Contestant {
  name: string;
  run(seconds: number): Promise<number>;
}

/**
 * Calls `one` from the given number of callers at once until the time is over. @returns the number of calls and the
 * rate
 */
export async function callers(
  count: number,
  seconds: number,
  one: () => Promise<unknown>,
): Promise<{ done: number; rate: number }> {
  let done = 0;
  const began = process.hrtime.bigint();
  const until = began + BigInt(Math.round(seconds * 1e9));
  await Promise.all(
    Array.from({ length: count }, async () => {
      while (process.hrtime.bigint() < until) {
        await one();
        done++;
      }
    }),
  );
  return { done, rate: done / (Number(process.hrtime.bigint() - began) / 1e9) };
}

/** Runs the contestants alternately after a warm-up. @returns medians by name */
export async function rounds(
  contestants: Contestant[],
  { count, seconds }: { count: number; seconds: number },
): Promise<Map<string, number>> {
  const rates = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (const contestant of contestants) await contestant.run(1);
  for (let round = 1; round <= count; round++) {
    for (const { name, run } of contestants) {
      const rate = await run(seconds);
      rates.get(name)!.push(rate);
      process.stderr.write(`round ${round}  ${name}: ${Math.round(rate)}/s\n`);
    }
  }
  return new Map([...rates].map(([name, values]) => [name, median(values)]));
}

/**
 * Runs two contestants in many short pairs; each comes first in every other pair. For differences that are smaller than
 * the drift of a machine from one second to the next.
 * @returns the median of the pairs' ratios, first to second, and the medians of the rates
 */
export async function pairs(
  [first, second]: [Contestant, Contestant],
  { count, seconds }: { count: number; seconds: number },
): Promise<{ ratio: number; rates: [number, number] }> {
  await first.run(seconds);
  const measured: [number, number][] = [];
  for (let pair = 0; pair < count; pair++) {
    const early = pair % 2 === 0 ? await first.run(seconds) : undefined;
    const other = await second.run(seconds);
    measured.push([early ?? (await first.run(seconds)), other]);
  }
  process.stderr.write(`${first.name}: ${measured.map(([a, b]) => (a / b).toFixed(2)).join(' ')}\n`);
  return {
    ratio: median(measured.map(([a, b]) => a / b)),
    rates: [median(measured.map(([a]) => a)), median(measured.map(([, b]) => b))],
  };
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Prints a table for people, then the line for machines. */
export function report(
  bench: string,
  ratios: Record<string, number>,
  figures: Record<string, number>,
  postgres: string,
): void {
  const twoPlaces = (value: number) => Math.round(value * 100) / 100;
  console.table(Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, twoPlaces(value)])));
  console.log(
    JSON.stringify({
      bench,
      ratios: Object.fromEntries(Object.entries(ratios).map(([name, value]) => [name, twoPlaces(value)])),
      figures: Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, twoPlaces(value)])),
      machine: { cores: cpus().length, node: process.version, postgres },
    }),
  );
}
