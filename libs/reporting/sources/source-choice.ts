import { Injectable } from '@nestjs/common';
import type { Source } from './source';

/** Takes the best source; a test takes each of them, to compare their answers. */
@Injectable()
export class SourceChoice {
  /** From this row on it pays to look up on which day a page begins. */
  deepFrom = 1_000;
  /**
   * What the names of pivots' fields may come to in the rows of an answer, in characters. Every row repeats them, and a text
   * of 512 MiB ends the process.
   */
  mostNames = 100_000_000;

  of([best]: readonly Source[]): Source {
    return best;
  }
}
