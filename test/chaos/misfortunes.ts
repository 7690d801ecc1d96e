import { waitFor } from '../support/wait-for';
import { LOADED_MS } from './loaded';
import type { Random } from './random';

/** Something bad happens; over when what is there must work again by itself. */
export type Misfortune = (isLast: boolean) => Promise<unknown>;

interface Setting {
  random: Random;
  /** How much of the work is done: 0 to 1. */
  done(): number;
  lost: AbortSignal;
}

/** All of them, one after the other, in any order and all through the work. */
export async function misfortunes(all: Misfortune[], { random, done, lost }: Setting): Promise<void> {
  for (const [index, strike] of random.shuffled(all).entries()) {
    const at = (index + random.next()) / all.length;
    const isTime = () => lost.aborted || done() >= at;
    await waitFor(isTime, { timeoutMs: LOADED_MS, description: `${at} of the work` });
    if (lost.aborted) return;
    await strike(index === all.length - 1);
  }
}
