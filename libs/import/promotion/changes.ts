import { isDeepStrictEqual } from 'node:util';
import type { Day } from '#kernel/zone';

/** What a change needs to know beside the record. */
export interface Occasion {
  /** The reason to record with write-offs. */
  reason: string;
  /** The day on which the record was written off, if it is. */
  writtenOffOn: Day | null;
}

/** The fields that are not yet as they are wanted, as they are wanted. */
export function changesOf<State extends object>(state: State, wanted: object): Partial<State> {
  const before = state as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(before[name], value)),
  ) as Partial<State>;
}
