import type { Folded } from '#event-store/events';
import { conflict, invalid } from '#kernel/errors';
import { referred } from '../records/record';
import {
  DRAFT_INVOICE,
  Matter,
  type MatterState,
  MatterStatus,
  UNBILLED_COST,
  UNBILLED_WORK,
  WORK,
} from './matter';

export { DRAFT_INVOICE, Matter, type MatterState, UNBILLED_COST, UNBILLED_WORK, WORK };

/** Checks that a matter exists and takes new work. @throws DomainError matter_not_found, matter_not_open (422) */
export function openMatter(folded: Folded<MatterState> | undefined, field: string): Folded<MatterState> {
  const matter = referred(folded, 'matter', field);
  if (matter.data.state !== MatterStatus.Open) {
    throw invalid('matter_not_open', `${field}: the matter is not open.`, field);
  }
  return matter;
}

/** Refuses (409 `matter_not_open`) a change that would bring unbilled work back to a closed matter. */
export function requireOpen(folded: Folded<MatterState> | undefined): void {
  if (folded && folded.data.state !== MatterStatus.Open)
    throw conflict('matter_not_open', 'The matter is not open.');
}
