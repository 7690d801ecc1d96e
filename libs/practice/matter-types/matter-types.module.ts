import type { Area } from '../records/area';
import { MatterType } from './matter-type';
import { matterTypesProjection } from './matter-type.projection';
import { MatterTypesReadController, MatterTypesWriteController } from './matter-types.controllers';

export const matterTypesArea: Area = {
  definition: MatterType,
  write: { controllers: [MatterTypesWriteController], handlers: [] },
  read: { controllers: [MatterTypesReadController] },
  projections: [matterTypesProjection],
};
