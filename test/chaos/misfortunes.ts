import { waitFor } from '../support/wait-for';
import { LOADED_MS } from './loaded';
import type { Random } from './random';

/** Makes something bad happen. Resolves when the deployment must work again without help. */
export type Misfortune = (isLast: boolean) => Promise<unknown>;

interface Setting {
  random: Random;
  /** The share of the work that is done: 0 to 1. */
  done(): number;
  lost: AbortSignal;
}

/** Lets all misfortunes happen, one after the other in random order, spread over the whole work. */
export async function misfortunes(all: Misfortune[], { random, done, lost }: Setting): Promise<void> {
  for (const [index, strike] of random.shuffled(all).entries()) {
    const at = (index + random.next()) / all.length;
    const isTime = () => lost.aborted || done() >= at;
    await waitFor(isTime, { timeoutMs: LOADED_MS, description: `${at} of the work` });
    if (lost.aborted) return;
    await strike(index === all.length - 1);
  }
}
