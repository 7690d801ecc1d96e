import type { Area } from '../records/area';
import { EntitiesReadController, EntitiesWriteController } from './entities.controllers';
import { Entity } from './entity';
import { AnonymiseEntityHandler } from './entity.anonymise';
import { entityHandlers } from './entity.commands';
import { ExportEntityHandler } from './entity.export';
import { peopleProjection } from './entity.projection';
import { ListEntitiesHandler, ListEntityRolesHandler } from './entity.role-queries';
import { entityRoleHandlers } from './entity.roles';
import { EntityRolesReadController, EntityRolesWriteController } from './entity-roles.controllers';

export const entitiesArea: Area = {
  definition: Entity,
  write: {
    controllers: [EntitiesWriteController, EntityRolesWriteController],
    handlers: [...entityHandlers, ...entityRoleHandlers, AnonymiseEntityHandler, ExportEntityHandler],
  },
  read: {
    controllers: [EntitiesReadController, EntityRolesReadController],
    handlers: [ListEntitiesHandler, ListEntityRolesHandler],
  },
  projections: [peopleProjection],
};
