import type { DomainEvent } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import { type BillableDefinition, type BillableState, BillableStatus } from '#practice/billable/billable';
import { bill, release, reserve, reverseBilling } from '#practice/billable/billable.billing';
import { finalise, reinstate, unfinalise } from '#practice/billable/billable.transitions';
import { writeOff } from '#practice/billable/billable.write-off';
import type { Charge, Course } from '../records/billing';
import { changesOf, livingOn, type Occasion } from './changes';

const { Pending, Finalised, Billed, WrittenOff } = BillableStatus;

/** A description is no part of what is charged. */
const DESCRIPTIONS = ['title', 'description'];

/**
 * A work item or a cost taken back as far as its row says otherwise, changed, and brought to where the row has it.
 * @throws DomainError `charge_fixed` where an issued invoice charges what the row says otherwise
 */
export function billableUpdates<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
  { fields, state: wanted, writtenOffOn, charge }: Course & { fields: object },
  occasion: Occasion,
): DomainEvent[] {
  const changes = changesOf(state, fields);
  const life = livingOn(definition, state);
  const { live, now, events } = life;
  requireSameCharge(state, charge);
  if (state.state === Billed && charge?.invoiceId !== state.invoiceId)
    live(reverseBilling(definition, now(), state.invoiceId!, state.settlement!.day, false));
  else if (state.state === Billed && charge?.day === null)
    live(reverseBilling(definition, now(), state.invoiceId!, state.settlement!.day, true));

  const isChanged = Object.keys(changes).length > 0;
  const isRevalued = Object.keys(changes).some((name) => !DESCRIPTIONS.includes(name));
  if (isRevalued && now().state === Billed)
    throw conflict('charge_fixed', `An issued invoice charges the ${definition.noun} as it is.`);
  const isHeld = now().invoiceId !== null && now().state !== Billed;
  if (isHeld && (isRevalued || charge?.invoiceId !== now().invoiceId))
    live(release(definition, now(), now().invoiceId!));
  const isWrittenOffSo = wanted === 'WrittenOff' && writtenOffOn === occasion.writtenOffOn && !isRevalued;
  if (now().state === WrittenOff && !isWrittenOffSo)
    // As if it had never been: the source says no day of it.
    live(reinstate(definition, now(), occasion.writtenOffOn!));
  const mustBePending = isRevalued || (wanted === 'Pending' && charge === null);
  if (mustBePending && now().state === Finalised) live(unfinalise(definition, now()));

  if (isChanged) live([{ type: `${definition.name}Updated`, data: changes }]);
  if (now().state === Pending && (wanted !== 'Pending' || charge !== null)) live(finalise(definition, now()));
  if (wanted === 'WrittenOff' && now().state === Finalised)
    live(
      writeOff(definition, now(), { day: writtenOffOn!, reason: occasion.reason, units: null, amount: null }),
    );
  if (charge !== null && now().state === Finalised) {
    if (now().invoiceId === null) live(reserve(definition, now(), charge.invoiceId));
    if (charge.day !== null) live(bill(definition, now(), charge.invoiceId, charge.day, charge.charged));
  }
  return events;
}

/** What an issued invoice asks for a record stays. */
function requireSameCharge({ state, invoiceId, settlement }: BillableState, charge: Charge | null): void {
  if (state !== Billed || charge === null || charge.day === null || charge.invoiceId !== invoiceId) return;
  const { day, billed } = settlement!;
  const { amount, units } = charge.charged;
  if (day !== charge.day || billed.amount !== amount || billed.units !== units)
    throw conflict('charge_fixed', 'What an issued invoice charges stays as it is.');
}
