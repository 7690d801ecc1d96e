import type { DomainEvent } from '#kernel/decider';
import type { Day } from '#kernel/zone';
import type { BillableDefinition, BillableState } from '#practice/billable/billable';
import { bill, reserve } from '#practice/billable/billable.billing';
import type { Portion } from '#practice/billable/billable.events';
import { finalised } from '#practice/billable/billable.transitions';
import { writeOff } from '#practice/billable/billable.write-off';
import { Evolving } from './evolving';

/** The line that charges a record: of a draft, which reserves it, or of an issued invoice, which has billed it. */
export interface Charge {
  invoiceId: string;
  /** The invoice's day of issue; null: it is a draft. */
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
  const record = new Evolving<State, DomainEvent>(definition, state);
  record.apply([finalised(definition, state)]);
  if (wanted === 'WrittenOff')
    record.apply(writeOff(definition, record.now, { day: writtenOffOn!, reason, units: null, amount: null }));
  if (charge === null) return record.events;
  record.apply(reserve(definition, record.now, charge.invoiceId));
  if (charge.day === null) return record.events;
  // The last: nobody asks for the state after it.
  return [...record.events, ...bill(definition, record.now, charge.invoiceId, charge.day, charge.charged)];
}

/** What a record's row says of it, and what the lines say, agree: validation has seen to that. */
function requireAgreement(noun: string, state: string, charge: Charge | null): void {
  if (state === 'Billed' && charge === null)
    throw new Error(`A ${noun} is billed, and no invoice charges it`);
  if (charge === null) return;
  const wanted = charge.day === null ? 'Finalised' : 'Billed';
  if (state !== wanted) throw new Error(`A ${noun} is ${state}, and a line that charges it has it ${wanted}`);
}
