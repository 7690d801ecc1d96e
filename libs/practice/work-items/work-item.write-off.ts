import { conflict, invalid } from '#kernel/errors';
import { decimal, roundMoney, text } from '#kernel/money';
import type { Day } from '#kernel/zone';
import { movementOf, type WorkItemState, WorkItemStatus } from './work-item';
import type { WorkItemEvent } from './work-item.events';

/** What to write off: by units or by amount, all that remains when neither is given. */
export interface WriteOffRequest {
  day: Day;
  reason: string;
  units: string | null;
  amount: string | null;
}

/**
 * Writes an item off, whole or in part. By amount takes units pro rata to 4 places, by units the amount pro rata to
 * the minor unit; the last part takes the rest.
 * @see resources.md: Write-off
 */
export function writeOffWorkItem(state: WorkItemState, request: WriteOffRequest): WorkItemEvent[] {
  if (state.state !== WorkItemStatus.Finalised) {
    throw conflict('not_finalised', 'Only a finalised work item can be written off.');
  }
  if (state.invoiceId !== null) throw conflict('reserved', 'The work item is on a draft invoice.');
  const { day, reason } = request;
  const { amount, units } = portion(state, request);
  return [
    {
      type: 'WorkItemWrittenOff',
      data: { day, reason, amount, units, movement: movementOf(state, day, amount, units) },
    },
  ];
}

function portion(
  state: WorkItemState,
  { units, amount }: WriteOffRequest,
): { amount: string; units: string } {
  const left = { amount: decimal(state.remaining), units: decimal(state.remainingUnits) };
  const all = { amount: state.remaining, units: state.remainingUnits };
  if (units !== null && amount !== null) {
    throw invalid('units_or_amount', 'Give the units or the amount to write off, not both.', 'amount');
  }
  if (amount !== null) {
    const part = decimal(amount);
    if (!roundMoney(part, state.rate.currency).eq(part)) {
      throw invalid(
        'too_precise',
        `amount: ${state.rate.currency} has no smaller part than its minor unit.`,
        'amount',
      );
    }
    if (part.gt(left.amount)) throw tooMuch('amount', state.remaining);
    if (part.eq(left.amount)) return all;
    return { amount: text(part), units: text(left.units.mul(part).div(left.amount).toDecimalPlaces(4)) };
  }
  if (units !== null) {
    const part = decimal(units);
    if (part.gt(left.units)) throw tooMuch('units', state.remainingUnits);
    if (part.eq(left.units)) return all;
    return {
      amount: text(roundMoney(left.amount.mul(part).div(left.units), state.rate.currency)),
      units: text(part),
    };
  }
  return all;
}

function tooMuch(field: string, remaining: string) {
  return invalid('more_than_remains', `${field}: only ${remaining} remains.`, field);
}
