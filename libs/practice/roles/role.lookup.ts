import { holderOf } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import { givenReference } from '../records/record';
import { Role, requireCustom, roleName, SYSTEM_ROLES } from './role';
import { RoleView, roles } from './role.queries';

export { Role, RoleView, requireCustom, roles, SYSTEM_ROLES };

/** Creates the system roles that the tenant does not have yet. They are part of a new tenant's start data. */
export async function createSystemRoles(work: UnitOfWork): Promise<void> {
  const holders = await work.load(
    Object.fromEntries(SYSTEM_ROLES.map((name) => [name, holderOf(roleName(name).kind, roleName(name).key)])),
  );
  for (const name of SYSTEM_ROLES.filter((each) => !holders[each])) {
    const data = { name, kind: 'System', ...givenReference(work.context, null) };
    work.create(Role, newId('role'), [{ type: 'RoleCreated', data }]);
  }
}
