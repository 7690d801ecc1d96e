import type { UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import { givenReference } from '../records/record';
import { Role, requireCustom, SYSTEM_ROLES } from './role';
import { RoleView, roles } from './role.queries';

export { Role, RoleView, requireCustom, roles, SYSTEM_ROLES };

/** Creates the system roles of a new tenant. */
export function createSystemRoles(work: UnitOfWork): void {
  for (const name of SYSTEM_ROLES) {
    const data = { name, kind: 'System', ...givenReference(work.context, null) };
    work.create(Role, newId('role'), [{ type: 'RoleCreated', data }]);
  }
}
