/** Bounds of the pause between two polls, in milliseconds. */
export interface Looks {
  first: number;
  last: number;
}

/**
 * How long to pause before the next poll for something that sends no signal. The pause is a quarter of the time waited so
 * far: what arrives is noticed at most that much too late, and polls become rarer.
 * @param waited milliseconds since the first poll
 */
export function pauseBetweenLooks(waited: number, { first, last }: Looks): number {
  return Math.min(last, Math.max(first, waited / 4));
}
