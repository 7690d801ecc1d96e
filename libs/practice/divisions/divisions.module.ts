import type { Area } from '../records/area';
import { Division } from './division';
import { divisionHandlers } from './division.commands';
import { divisionsProjection } from './division.projection';
import { DivisionsReadController, DivisionsWriteController } from './divisions.controllers';

export const divisionsArea: Area = {
  definition: Division,
  write: { controllers: [DivisionsWriteController], handlers: divisionHandlers },
  read: { controllers: [DivisionsReadController] },
  projections: [divisionsProjection],
};
