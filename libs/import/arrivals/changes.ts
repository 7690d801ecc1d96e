import { isDeepStrictEqual } from 'node:util';
import type { Day } from '#kernel/zone';

/** Facts that an update needs besides the record and its row. */
export interface Occasion {
  /** The reason to record with write-offs. */
  reason: string;
  /** The day on which the record was written off, if it is. */
  writtenOffOn: Day | null;
  /** Whether the tenant has default rates of its own, which stay the default. */
  keepsDefaultRates: boolean;
}

/** The wanted values of the fields that differ from the state. */
export function changesOf<State extends object>(state: State, wanted: object): Partial<State> {
  const before = state as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(before[name], value)),
  ) as Partial<State>;
}
