import type { DomainEvent } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import { decimal, text } from '#kernel/money';
import type { Day } from '#kernel/zone';
import {
  type BillableDefinition,
  type BillableState,
  BillableStatus,
  isPartlyWrittenOff,
  left,
  movement,
  nameOf,
  requireFree,
  requirePending,
} from './billable';

export function finalise<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
): DomainEvent[] {
  if (state.state === BillableStatus.Finalised) return [];
  if (state.state !== BillableStatus.Pending)
    throw conflict('not_pending', `The ${definition.noun} is ${nameOf(state)}.`);
  return [finalised(definition, state)];
}

/** The event that finalises a pending record. Fee analysis counts it on the day of the record's entry. */
export function finalised<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
): DomainEvent {
  return { type: `${definition.name}Finalised`, data: { movement: wholeMovement(definition, state) } };
}

export function unfinalise<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
): DomainEvent[] {
  if (state.state === BillableStatus.Pending) return [];
  requireFree(definition, state);
  if (state.state !== BillableStatus.Finalised)
    throw conflict('not_finalised', `The ${definition.noun} is ${nameOf(state)}.`);
  if (isPartlyWrittenOff(definition, state))
    throw conflict(
      'partly_written_off',
      `Part of the ${definition.noun} was written off: reinstate that first.`,
    );
  return [{ type: `${definition.name}Unfinalised`, data: { movement: wholeMovement(definition, state) } }];
}

/**
 * Reinstates everything that was written off from a record by request (not by an invoice).
 * @param day not before any of the write-offs, so that on no day more is reinstated than was written off
 */
export function reinstate<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
  day: Day,
): DomainEvent[] {
  requireFree(definition, state);
  const whole = definition.whole(state);
  const remains = left(state);
  const partly = state.state === BillableStatus.Finalised && isPartlyWrittenOff(definition, state);
  if (state.state !== BillableStatus.WrittenOff && !partly)
    throw conflict('not_written_off', `No part of the ${definition.noun} was written off.`);
  const back = {
    amount: text(decimal(whole.amount).sub(remains.amount)),
    units: text(decimal(whole.units).sub(remains.units)),
  };
  const data = { day, ...back, movement: movement(definition, state, day, back) };
  return [{ type: `${definition.name}Reinstated`, data }];
}

export function remove<State extends BillableState>(
  definition: BillableDefinition<State>,
  state: State,
): DomainEvent[] {
  requirePending(definition, state);
  return [{ type: `${definition.name}Deleted`, data: {} }];
}

function wholeMovement<State extends BillableState>(definition: BillableDefinition<State>, state: State) {
  return movement(definition, state, state.entryDay, definition.whole(state));
}
