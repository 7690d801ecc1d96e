import type { DomainEvent } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import { type BillableDefinition, type BillableState, BillableStatus } from '#practice/billable/billable';
import { bill, release, reserve, reverseBilling } from '#practice/billable/billable.billing';
import { finalise, reinstate, unfinalise } from '#practice/billable/billable.transitions';
import { writeOff } from '#practice/billable/billable.write-off';
import type { Charge, Course } from '../records/billing';
import { Evolving } from '../records/evolving';
import { changesOf, type Occasion } from './changes';

const { Pending, Finalised, Billed, WrittenOff } = BillableStatus;

/** Fields that may change while an issued invoice charges the record, because they do not affect the charge. */
const DESCRIPTIONS = ['title', 'description'];

/**
 * Updates a work item or a cost to its row: takes back states that contradict the row, changes the fields, and moves the
 * record to the row's state.
 * @throws DomainError `charge_fixed` when an issued invoice charges something that the row states otherwise
 */
export function billableUpdates<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
  { fields, state: wanted, writtenOffOn, charge }: Course & { fields: object },
  occasion: Occasion,
): DomainEvent[] {
  const changes = changesOf(state, fields);
  const record = new Evolving<State, DomainEvent>(definition, state);
  requireSameCharge(state, charge);
  if (state.state === Billed && charge?.invoiceId !== state.invoiceId)
    record.apply(reverseBilling(definition, record.now, state.invoiceId!, state.settlement!.day, false));
  else if (state.state === Billed && charge?.day === null)
    record.apply(reverseBilling(definition, record.now, state.invoiceId!, state.settlement!.day, true));

  const isChanged = Object.keys(changes).length > 0;
  const isRevalued = Object.keys(changes).some((name) => !DESCRIPTIONS.includes(name));
  if (isRevalued && record.now.state === Billed)
    throw conflict(
      'charge_fixed',
      `The ${definition.noun} is charged by an issued invoice and cannot be changed.`,
    );
  const isHeld = record.now.invoiceId !== null && record.now.state !== Billed;
  if (isHeld && (isRevalued || charge?.invoiceId !== record.now.invoiceId))
    record.apply(release(definition, record.now, record.now.invoiceId!));
  const isWrittenOffSo = wanted === 'WrittenOff' && writtenOffOn === occasion.writtenOffOn && !isRevalued;
  if (record.now.state === WrittenOff && !isWrittenOffSo)
    // Reinstated as of the day of the write-off, as the source names no day.
    record.apply(reinstate(definition, record.now, occasion.writtenOffOn!));
  const mustBePending = isRevalued || (wanted === 'Pending' && charge === null);
  if (mustBePending && record.now.state === Finalised) record.apply(unfinalise(definition, record.now));

  if (isChanged) record.apply([{ type: `${definition.name}Updated`, data: changes }]);
  if (record.now.state === Pending && (wanted !== 'Pending' || charge !== null))
    record.apply(finalise(definition, record.now));
  if (wanted === 'WrittenOff' && record.now.state === Finalised)
    record.apply(
      writeOff(definition, record.now, {
        day: writtenOffOn!,
        reason: occasion.reason,
        units: null,
        amount: null,
      }),
    );
  if (charge !== null && record.now.state === Finalised) {
    if (record.now.invoiceId === null) record.apply(reserve(definition, record.now, charge.invoiceId));
    if (charge.day !== null)
      record.apply(bill(definition, record.now, charge.invoiceId, charge.day, charge.charged));
  }
  return record.events;
}

/**
 * Refuses to change the day, amount or units that an issued invoice charges for a record. @throws DomainError
 * `charge_fixed`
 */
function requireSameCharge({ state, invoiceId, settlement }: BillableState, charge: Charge | null): void {
  if (state !== Billed || charge === null || charge.day === null || charge.invoiceId !== invoiceId) return;
  const { day, billed } = settlement!;
  const { amount, units } = charge.charged;
  if (day !== charge.day || billed.amount !== amount || billed.units !== units)
    throw conflict('charge_fixed', 'What an issued invoice charges cannot be changed.');
}
