import { Injectable } from '@nestjs/common';
import type { Source } from './source';

/** Chooses the best source. Tests override it to compare the answers of all sources. */
@Injectable()
export class SourceChoice {
  /** From this row on, looking up the day on which a page begins is worth its cost. */
  deepFrom = 1_000;
  /**
   * A page of more records than these, such as the matters of a client, is read in its order, and not record by record.
   * Each may have as many rows as the page.
   */
  manyKeys = 100;
  /**
   * Limit in bytes for the rows of a report. An answer holds the rows of up to four reports as one text, several times
   * while it is built.
   */
  mostBytes = 64_000_000;

  of([best]: readonly Source[]): Source {
    return best;
  }
}
