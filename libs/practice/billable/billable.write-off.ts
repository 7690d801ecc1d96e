import type { Decimal } from 'decimal.js';
import type { DomainEvent } from '#kernel/decider';
import { conflict, invalid } from '#kernel/errors';
import { decimal, roundMoney, text } from '#kernel/money';
import type { Day } from '#kernel/zone';
import {
  type BillableDefinition,
  type BillableState,
  BillableStatus,
  left,
  movement,
  requireFree,
} from './billable';
import type { Portion } from './billable.events';

/** A request to write off units or an amount; all that remains when neither is given. */
export interface WriteOffRequest {
  day: Day;
  reason: string;
  units: string | null;
  amount: string | null;
}

/**
 * Writes a record off, whole or in part. If the amount is given, the units are pro rata, to 4 decimals. If the units
 * are given, the amount is pro rata, to the minor unit. The last part takes the rest of both.
 * @throws DomainError `reserved`, `not_finalised` (409); `units_or_amount`, `too_precise`, `more_than_remains` (422)
 * @see resources.md: Write-off
 */
export function writeOff<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
  request: WriteOffRequest,
): DomainEvent[] {
  requireFree(definition, state);
  if (state.state !== BillableStatus.Finalised)
    throw conflict('not_finalised', `Only a finalised ${definition.noun} can be written off.`);
  const { day, reason } = request;
  const part = portion(left(state), definition.currency(state), request);
  const data = { day, reason, ...part, movement: movement(definition, state, day, part) };
  return [{ type: `${definition.name}WrittenOff`, data }];
}

function portion(all: Portion, currency: string, { units, amount }: WriteOffRequest): Portion {
  const leftUnits = decimal(all.units);
  const leftAmount = decimal(all.amount);
  if (units !== null && amount !== null) {
    throw invalid('units_or_amount', 'Give the units or the amount to write off, not both.', 'amount');
  }
  if (amount !== null) {
    const part = decimal(amount);
    requireMinorUnits(part, currency, 'amount');
    if (part.gt(leftAmount)) throw tooMuch('amount', all.amount);
    if (part.eq(leftAmount)) return all;
    return { amount: text(part), units: text(leftUnits.mul(part).div(leftAmount).toDecimalPlaces(4)) };
  }
  if (units !== null) {
    const part = decimal(units);
    if (part.gt(leftUnits)) throw tooMuch('units', all.units);
    if (part.eq(leftUnits)) return all;
    return { amount: text(roundMoney(leftAmount.mul(part).div(leftUnits), currency)), units: text(part) };
  }
  return all;
}

/** Refuses an amount with fractions of the minor unit. @throws DomainError `too_precise` (422) */
export function requireMinorUnits(amount: Decimal, currency: string, field: string): void {
  if (!roundMoney(amount, currency).eq(amount))
    throw invalid('too_precise', `${field}: the amount has more decimals than ${currency} has.`, field);
}

function tooMuch(field: string, remaining: string) {
  return invalid('more_than_remains', `${field}: only ${remaining} remains.`, field);
}
