import type { DomainEvent } from '#kernel/decider';
import type { Day } from '#kernel/zone';
import type { BillableDefinition, BillableState } from '#practice/billable/billable';
import { bill, reserve } from '#practice/billable/billable.billing';
import type { Portion } from '#practice/billable/billable.events';
import { finalised } from '#practice/billable/billable.transitions';
import { writeOff } from '#practice/billable/billable.write-off';
import { Evolving } from './evolving';

/** The invoice line that charges a record. A draft has reserved the record, an issued invoice has billed it. */
export interface Charge {
  invoiceId: string;
  /** The invoice's day of issue; null for a draft. */
  day: Day | null;
  charged: Portion;
}

/** The state of a billable record according to its row and the lines. */
export interface Course {
  state: string;
  /** The day on which the record was written off; null when it was not. */
  writtenOffOn: Day | null;
  charge: Charge | null;
}

/**
 * The events of a billable record after its recording, as commands would have yielded them.
 * @param state the state after the recording
 * @throws DomainError when a decider refuses
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
  // Decided without adding the events to the record: they are the last, so nothing depends on the state after them.
  return [...record.events, ...bill(definition, record.now, charge.invoiceId, charge.day, charge.charged)];
}

/** Checks that a record's row and its lines agree. Validation has found that they do, so an error is a bug. */
function requireAgreement(noun: string, state: string, charge: Charge | null): void {
  if (state === 'Billed' && charge === null)
    throw new Error(`A ${noun} is billed, and no invoice charges it`);
  if (charge === null) return;
  const wanted = charge.day === null ? 'Finalised' : 'Billed';
  if (state !== wanted) throw new Error(`A ${noun} is ${state}, and a line that charges it has it ${wanted}`);
}
