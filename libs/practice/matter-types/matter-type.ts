import type { Folded } from '#event-store/events';
import { conflict, invalid } from '#kernel/errors';
import type { Id } from '#kernel/ids';
import { type SwitchedState, simpleRecord } from '../records/simple-record';
import { type MatterTypeFields, matterTypeEvents } from './matter-type.events';

export interface MatterTypeState extends SwitchedState, MatterTypeFields {}

/** Kind of the link from a type to its parent. */
export const PARENT = 'mattertype_parent';

export const MatterType = simpleRecord<MatterTypeState>({
  kind: 'mattertype',
  name: 'MatterType',
  events: matterTypeEvents,
  links: ({ parentId, divisionIds }) => [
    ...(parentId ? [{ kind: PARENT, target: parentId }] : []),
    ...divisionIds.map((target) => ({ kind: 'mattertype_division', target })),
  ],
});

/**
 * Checks that types have two levels at most.
 * @param children the number of types below the one that is to get the parent
 * @throws DomainError mattertype_too_deep
 */
export function requireTwoLevels(
  parent: Folded<MatterTypeState>,
  child: Id | undefined,
  children: number,
): void {
  if (parent.data.parentId || parent.id === child)
    throw invalid(
      'mattertype_too_deep',
      'parentId: it must be another matter type, and one that has no parent.',
      'parentId',
    );
  if (children > 0)
    throw conflict('mattertype_too_deep', 'The matter type has subtypes, so it cannot have a parent.');
}
