/** Milliseconds from one look for something to the next, at least and at most. */
export interface Looks {
  first: number;
  last: number;
}

/**
 * How long to pause before looking again for what nobody tells of: what comes is seen a quarter of the wait late at most,
 * and looked for less and less often.
 * @param waited milliseconds since it was first looked for
 */
export function pauseBetweenLooks(waited: number, { first, last }: Looks): number {
  return Math.min(last, Math.max(first, waited / 4));
}
