import { Injectable } from '@nestjs/common';
import type { Source } from './source';

/** Takes the best source; a test takes each of them, to compare their answers. */
@Injectable()
export class SourceChoice {
  of([best]: readonly Source[]): Source {
    return best;
  }
}
