import type { DomainEvent } from '#kernel/decider';
import type { Day } from '#kernel/zone';
import type { BillableDefinition, BillableState } from '#practice/billable/billable';
import { bill, reserve } from '#practice/billable/billable.billing';
import type { Portion } from '#practice/billable/billable.events';
import { finalised } from '#practice/billable/billable.transitions';
import { writeOff } from '#practice/billable/billable.write-off';

/** The line that charges a record: of a draft, which reserves it, or of an issued invoice, which has billed it. */
export interface Charge {
  invoiceId: string;
  /** Of the issue; null: it is a draft. */
  day: Day | null;
  charged: Portion;
}

/** How far a record that can be billed has come. */
export interface Course {
  state: string;
  /** The day on which it was written off; null: it was not. */
  writtenOffOn: Day | null;
  charge: Charge | null;
}

/**
 * What happened to it after it was recorded, as commands would have it.
 * @param state as it was recorded
 * @throws DomainError as the deciders do
 */
export function courseOf<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
  { state: wanted, writtenOffOn, charge }: Course,
  reason: string,
): DomainEvent[] {
  requireAgreement(definition.noun, wanted, charge);
  if (wanted === 'Pending') return [];
  const events: DomainEvent[] = [];
  let now = state;
  const live = (more: DomainEvent[]) => {
    for (const event of more) now = definition.evolve(now, event);
    events.push(...more);
  };
  live([finalised(definition, now)]);
  if (wanted === 'WrittenOff')
    live(writeOff(definition, now, { day: writtenOffOn!, reason, units: null, amount: null }));
  if (charge === null) return events;
  live(reserve(definition, now, charge.invoiceId));
  // The last: nobody asks for the state after it.
  if (charge.day !== null)
    events.push(...bill(definition, now, charge.invoiceId, charge.day, charge.charged));
  return events;
}

/** What a record's row says of it, and what the lines say, agree: validation has seen to that. */
function requireAgreement(noun: string, state: string, charge: Charge | null): void {
  if (state === 'Billed' && charge === null)
    throw new Error(`A ${noun} is billed, and no invoice charges it`);
  if (charge === null) return;
  const wanted = charge.day === null ? 'Finalised' : 'Billed';
  if (state !== wanted) throw new Error(`A ${noun} is ${state}, and a line that charges it has it ${wanted}`);
}
