import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import { type DecimalText, decimal, text } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { RecordState } from '../records/record';
import type { BillableEvent, Dimensions, Movement, Portion, Settlement } from './billable.events';

/** The integers are fixed: clients store them. */
export const BillableStatus = { Pending: 0, Finalised: 1, Billed: 2, WrittenOff: 3 } as const;
export type BillableStatus = (typeof BillableStatus)[keyof typeof BillableStatus];

/** The state of a record that an invoice can charge: time, a fee or a cost. */
export interface BillableState extends RecordState {
  matterId: string | null;
  /** The day of the record's entry in the tenant's zone. Fee analysis counts the record as finalised on this day. */
  entryDay: Day;
  state: BillableStatus;
  /** The amount that can still be billed. */
  remaining: DecimalText;
  remainingUnits: DecimalText;
  /** The draft that reserves the record, or the invoice that charges it. */
  invoiceId: string | null;
  /** How the invoice that charges the record settled it, and what remained before. */
  settlement: (Settlement & { before: Portion }) | null;
}

/** A kind of record that an invoice can charge. */
export interface BillableDefinition<State extends BillableState>
  extends StreamDefinition<State, DomainEvent> {
  /** The prefix of the types of its events: `WorkItem`. */
  name: string;
  /** The record's name in error messages: `work item`. */
  noun: string;
  /** The whole value, before any write-off. */
  whole(state: State): Portion;
  currency(state: State): string;
  isBillable(state: State): boolean;
  /** The dimensions by which fee analysis groups the record; null if fee analysis does not cover it. */
  dimensions(state: State): Dimensions | null;
}

// biome-ignore lint/suspicious/noExplicitAny: any record that an invoice can charge
export type AnyBillable = BillableDefinition<any>;

type Verb = BillableEvent<''>['type'];
type Data<V extends Verb> = Extract<BillableEvent<''>, { type: V }>['data'];

/** Applies a billable event to the state. @param verb the event's type without the record's name */
export function moved<State extends BillableState>(before: State, verb: string, data: object): State {
  switch (verb as Verb) {
    case 'Finalised':
      return { ...before, state: BillableStatus.Finalised };
    case 'Unfinalised':
      return { ...before, state: BillableStatus.Pending };
    case 'Reserved':
      return { ...before, invoiceId: (data as Data<'Reserved'>).invoiceId };
    case 'Released':
      return { ...before, invoiceId: null };
    case 'Billed': {
      const { invoiceId, settlement } = data as Data<'Billed'>;
      const charged = { invoiceId, settlement: { ...settlement, before: left(before) } };
      return { ...before, ...charged, state: BillableStatus.Billed, remaining: '0', remainingUnits: '0' };
    }
    case 'BillingReversed': {
      const { invoiceId, reserved } = data as Data<'BillingReversed'>;
      const { amount: remaining, units: remainingUnits } = before.settlement!.before;
      const held = { invoiceId: reserved ? invoiceId : null, settlement: null };
      return { ...before, ...held, state: BillableStatus.Finalised, remaining, remainingUnits };
    }
    case 'WrittenOff': {
      const { amount, units } = data as Data<'WrittenOff'>;
      const remaining = text(decimal(before.remaining).sub(amount));
      const remainingUnits = text(decimal(before.remainingUnits).sub(units));
      const done = remaining === '0' && remainingUnits === '0';
      return { ...before, remaining, remainingUnits, state: done ? BillableStatus.WrittenOff : before.state };
    }
    case 'Reinstated': {
      const { amount, units } = data as Data<'Reinstated'>;
      const remaining = text(decimal(before.remaining).add(amount));
      const remainingUnits = text(decimal(before.remainingUnits).add(units));
      return { ...before, remaining, remainingUnits, state: BillableStatus.Finalised };
    }
  }
  throw new Error(`${verb} is nothing that happens to what an invoice charges`);
}

/** The amount and units that can still be billed. */
export function left({ remaining, remainingUnits }: BillableState): Portion {
  return { amount: remaining, units: remainingUnits };
}

/** Whether a record is neither billed nor written off and has value left. Such a record keeps its matter open. */
export function isUnbilled<State extends BillableState>(
  definition: Pick<BillableDefinition<State>, 'isBillable'>,
  state: State,
): boolean {
  const open = state.state === BillableStatus.Pending || state.state === BillableStatus.Finalised;
  return open && definition.isBillable(state) && !decimal(state.remaining).isZero();
}

/** Whether an event makes a record unbilled that was not before: only an open matter takes it. */
export function becomesUnbilled<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
  event: DomainEvent,
): boolean {
  return !isUnbilled(definition, state) && isUnbilled(definition, definition.evolve(state, event));
}

/** The beginning for write-offs of a record, for `dayNotBefore`. */
export function enteredOn({ noun }: { noun: string }, { entryDay }: BillableState) {
  return { on: entryDay, code: 'before_entry', what: `the ${noun} is of`, field: 'writeOffDate' };
}

export function movement<State extends BillableState>(
  definition: Pick<BillableDefinition<State>, 'dimensions'>,
  state: State,
  day: Day,
  { amount, units }: Portion,
): Movement | null {
  const dimensions = definition.dimensions(state);
  return dimensions && { ...dimensions, day, amount, units };
}

export function isPartlyWrittenOff<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
): boolean {
  const { amount, units } = definition.whole(state);
  return state.remaining !== amount || state.remainingUnits !== units;
}

/** Refuses a record on a draft invoice: only that invoice may change it. @throws DomainError `reserved` (409) */
export function requireFree({ noun }: { noun: string }, { invoiceId, state }: BillableState): void {
  if (invoiceId !== null && state !== BillableStatus.Billed)
    throw conflict('reserved', `The ${noun} is on a draft invoice.`);
}

/** Refuses a record that is not Pending, and cannot change. @throws DomainError `reserved`, `finalised` (409) */
export function requirePending<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
): void {
  requireFree(definition, state);
  if (state.state !== BillableStatus.Pending)
    throw conflict('finalised', `The ${definition.noun} is ${nameOf(state)}.`);
}

/**
 * Refuses a change to a record that is no longer Pending. Its text alone can change until it is billed.
 * @param names the names of the fields that change
 * @param text the name of the field with its text
 * @throws DomainError `reserved`, `finalised` (409)
 */
export function requireChangeable<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
  names: readonly string[],
  text: keyof State,
): void {
  if (names.length === 0) return;
  const isText = names.every((name) => name === text) && state.state !== BillableStatus.Billed;
  (isText ? requireFree : requirePending)(definition, state);
}

const stateNames = ['Pending', 'Finalised', 'Billed', 'WrittenOff'];

export function billableStatusName(state: BillableStatus): string {
  return stateNames[state];
}

/** The state's name within a sentence of an error message. */
export function nameOf({ state }: Pick<BillableState, 'state'>): string {
  return ['pending', 'finalised', 'billed', 'written off'][state];
}
