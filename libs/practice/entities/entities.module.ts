import type { Area } from '../records/area';
import { EntitiesReadController, EntitiesWriteController } from './entities.controllers';
import { Entity } from './entity';
import { entityHandlers } from './entity.commands';
import { peopleProjection } from './entity.projection';

export const entitiesArea: Area = {
  definition: Entity,
  write: { controllers: [EntitiesWriteController], handlers: entityHandlers },
  read: { controllers: [EntitiesReadController] },
  projections: [peopleProjection],
};
