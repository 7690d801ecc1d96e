import type { DomainEvent } from '#kernel/decider';
import type { Day } from '#kernel/zone';
import type { BillableDefinition, BillableState } from '#practice/billable/billable';
import { bill, reserve } from '#practice/billable/billable.billing';
import type { Portion } from '#practice/billable/billable.events';
import { finalised } from '#practice/billable/billable.transitions';
import { writeOff } from '#practice/billable/billable.write-off';
import { Evolving } from './evolving';

/** The charge of a record by an invoice line. A draft's line reserves the record; an issued invoice's line bills it. */
export interface Charge {
  invoiceId: string;
  /** The day of the invoice's issue; null while it is a draft. */
  day: Day | null;
  charged: Portion;
}

/** The billing state of a work item or cost according to its row and the invoice lines. */
export interface Course {
  state: string;
  /** The day of the write-off; null when the record was not written off. */
  writtenOffOn: Day | null;
  charge: Charge | null;
}

/**
 * The events after a record's creation that bring it to the wanted state, as commands would yield them.
 * @param state the record's state after its creation
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
  // `bill` comes last, so its events are not applied: nobody needs the state after it.
  return [...record.events, ...bill(definition, record.now, charge.invoiceId, charge.day, charge.charged)];
}

/** Asserts that a record's row and the lines that charge it agree, as the validation has made sure. */
function requireAgreement(noun: string, state: string, charge: Charge | null): void {
  if (state === 'Billed' && charge === null)
    throw new Error(`A ${noun} is billed, and no invoice charges it`);
  if (charge === null) return;
  const wanted = charge.day === null ? 'Finalised' : 'Billed';
  if (state !== wanted) throw new Error(`A ${noun} is ${state}, and a line that charges it has it ${wanted}`);
}
