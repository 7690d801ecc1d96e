import type { DomainEvent } from '#kernel/decider';
import { conflict, RecordsDisagree } from '#kernel/errors';
import { decimal, text } from '#kernel/money';
import type { Day } from '#kernel/zone';
import {
  type BillableDefinition,
  type BillableState,
  BillableStatus,
  left,
  nameOf,
  requireFree,
} from './billable';
import type { Portion, Settlement } from './billable.events';

/**
 * Puts a finalised record on a draft invoice.
 * @throws DomainError `reserved`, `not_finalised`, `already_billed` (409)
 */
export function reserve<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
  invoiceId: string,
): DomainEvent[] {
  requireFree(definition, state);
  if (state.state !== BillableStatus.Finalised) {
    const code = state.state === BillableStatus.Billed ? 'already_billed' : 'not_finalised';
    throw conflict(code, `The ${definition.noun} is ${nameOf(state)}.`);
  }
  return [{ type: `${definition.name}Reserved`, data: { invoiceId } }];
}

/** Takes it off the draft that reserves it. */
export function release<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
  invoiceId: string,
): DomainEvent[] {
  requireHeld(state, invoiceId, BillableStatus.Finalised);
  return [{ type: `${definition.name}Released`, data: { invoiceId } }];
}

/**
 * Settles it whole: what is charged below or above what remained is written off or up.
 * @param day of the invoice's issue
 * @param charged what the invoice asks for it
 * @see resources.md: Invoices, Fee analysis measures
 */
export function bill<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
  invoiceId: string,
  day: Day,
  charged: Portion,
): DomainEvent[] {
  requireHeld(state, invoiceId, BillableStatus.Finalised);
  const remained = left(state);
  const settlement: Settlement = {
    day,
    billed: charged,
    writtenOff: excess(remained, charged),
    writtenUp: excess(charged, remained),
  };
  const data = { invoiceId, settlement, dimensions: definition.dimensions(state) };
  return [{ type: `${definition.name}Billed`, data }];
}

/**
 * Takes a billing back.
 * @param reserved the invoice becomes a draft again, and keeps the record
 */
export function reverseBilling<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
  invoiceId: string,
  day: Day,
  reserved: boolean,
): DomainEvent[] {
  requireHeld(state, invoiceId, BillableStatus.Billed);
  const { before: _, ...settlement } = state.settlement!;
  const data = { invoiceId, reserved, day, settlement, dimensions: definition.dimensions(state) };
  return [{ type: `${definition.name}BillingReversed`, data }];
}

/** How much more one is than the other, never less than nothing. */
function excess(one: Portion, other: Portion): Portion {
  const above = (name: keyof Portion) => {
    if (one[name] === other[name]) return '0';
    const difference = decimal(one[name]).sub(other[name]);
    return difference.isPositive() ? text(difference) : '0';
  };
  return { amount: above('amount'), units: above('units') };
}

/** An invoice never touches what another one holds: its lines and their sources change in one append. */
function requireHeld(state: BillableState, invoiceId: string, wanted: BillableStatus): void {
  if (state.invoiceId !== invoiceId || state.state !== wanted)
    throw new RecordsDisagree(`An invoice's line and its source: ${invoiceId}, ${state.invoiceId}`);
}
