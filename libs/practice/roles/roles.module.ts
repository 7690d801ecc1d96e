import type { Area } from '../records/area';
import { Role } from './role';
import { DeleteRoleHandler } from './role.commands';
import { rolesProjection } from './role.projection';
import { RolesReadController, RolesWriteController } from './roles.controllers';

export const rolesArea: Area = {
  definition: Role,
  write: { controllers: [RolesWriteController], handlers: [DeleteRoleHandler] },
  read: { controllers: [RolesReadController] },
  projections: [rolesProjection],
};
