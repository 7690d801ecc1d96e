import { Injectable } from '@nestjs/common';
import type { Source } from './source';

/** Takes the best source; a test takes each of them, to compare their answers. */
@Injectable()
export class SourceChoice {
  /** From this row on it pays to look up on which day a page begins. */
  deepFrom = 1_000;
  /** What the rows of a report may come to: an answer holds those of four, as one text, several times while it is made. */
  mostBytes = 64_000_000;

  of([best]: readonly Source[]): Source {
    return best;
  }
}
