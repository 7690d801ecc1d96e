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
 * Reserves a finalised record for a draft invoice.
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

/** Releases a record from the draft invoice that reserves it. */
export function release<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
  invoiceId: string,
): DomainEvent[] {
  requireHeld(state, invoiceId, BillableStatus.Finalised);
  return [{ type: `${definition.name}Released`, data: { invoiceId } }];
}

/**
 * Bills a record and settles all of it: the difference between the charge and the remaining value is written off or up.
 * @param day the invoice's day of issue
 * @param charged the amount and units that the invoice charges for the record
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
 * Reverses the billing of a record.
 * @param reserved whether the invoice becomes a draft again, which keeps the record reserved
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

/** The amount and units by which one portion exceeds the other, each at least 0. */
function excess(one: Portion, other: Portion): Portion {
  const above = (name: keyof Portion) => {
    if (one[name] === other[name]) return '0';
    const difference = decimal(one[name]).sub(other[name]);
    return difference.isPositive() ? text(difference) : '0';
  };
  return { amount: above('amount'), units: above('units') };
}

/**
 * Checks that this invoice holds the record. It always does, because an invoice's lines and their sources change in one
 * append.
 * @throws RecordsDisagree
 */
function requireHeld(state: BillableState, invoiceId: string, wanted: BillableStatus): void {
  if (state.invoiceId !== invoiceId || state.state !== wanted)
    throw new RecordsDisagree(`An invoice's line and its source: ${invoiceId}, ${state.invoiceId}`);
}
