import { conflict } from '#kernel/errors';
import { Activity } from '../records/activity';
import { refuseInUse } from '../records/record';
import { type SwitchedState, simpleRecord } from '../records/simple-record';
import { type DivisionEvent, type DivisionFields, divisionEvents } from './division.events';

export interface DivisionState extends SwitchedState, DivisionFields {}

/** Counter of a tenant's active divisions: the last one cannot be deactivated. */
export const ACTIVE_DIVISIONS = 'active_divisions';
/** The natural key of the tenant's default division. */
export const DEFAULT_DIVISION = { kind: 'default_division', key: '' };

export const Division = simpleRecord<DivisionState>({
  kind: 'division',
  name: 'Division',
  events: divisionEvents,
  keys: ({ isDefault }) => (isDefault ? [DEFAULT_DIVISION] : []),
});

export function updateDivision(state: DivisionState, changes: Partial<DivisionState>): DivisionEvent[] {
  if (changes.isDefault === false)
    throw conflict('default_division', 'Make another division the default instead.');
  if (changes.isDefault && state.state !== Activity.Active) {
    throw conflict('division_not_active', 'Only an active division can be the default.');
  }
  return Object.keys(changes).length === 0 ? [] : [{ type: 'DivisionUpdated', data: changes }];
}

/** Deactivates a division. @param active the number of the tenant's active divisions */
export function deactivateDivision(state: DivisionState, active: number): DivisionEvent[] {
  if (state.state !== Activity.Active) return [];
  refuseLast(state, active);
  return [{ type: 'DivisionDeactivated', data: {} }];
}

export function deleteDivision(state: DivisionState, uses: number, active: number): DivisionEvent[] {
  refuseInUse('division', uses);
  if (state.state === Activity.Active) refuseLast(state, active);
  return [{ type: 'DivisionDeleted', data: {} }];
}

function refuseLast(state: DivisionState, active: number): void {
  if (active <= 1)
    throw conflict(
      'last_active_division',
      'The last active division of a tenant cannot be deactivated or deleted.',
    );
  if (state.isDefault) throw conflict('default_division', 'Make another division the default first.');
}
