import type { Folded } from '#event-store/events';
import { counter, holding } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import { givenReference } from '../records/record';
import { ACTIVE_DIVISIONS, DEFAULT_DIVISION, Division, type DivisionState } from './division';

export { Division };

/** Creates a division. One that is to be the default takes the flag from the division that has it. */
export async function createDivision(
  work: UnitOfWork,
  given: {
    name: string;
    code?: string | null;
    isDefault?: boolean | null;
    externalReference?: string | null;
  },
): Promise<Folded<DivisionState>> {
  const { active } = await work.load({ active: counter(ACTIVE_DIVISIONS) });
  if (given.isDefault) await yieldDefault(work);
  work.count(ACTIVE_DIVISIONS, active, active + 1);
  const { name, code = null, isDefault } = given;
  const reference = givenReference(work.context, given.externalReference);
  return work.create(Division, newId('division'), [
    { type: 'DivisionCreated', data: { code, name, isDefault: isDefault ?? false, ...reference } },
  ]);
}

/** Removes the default flag from the current default division, if any. */
export async function yieldDefault(work: UnitOfWork): Promise<void> {
  const { holder } = await work.load({ holder: holding(Division, DEFAULT_DIVISION) });
  if (holder) work.change(Division, holder, [{ type: 'DivisionUpdated', data: { isDefault: false } }]);
}
