import type { Area } from '../records/area';
import { Matter } from './matter';
import { matterHandlers } from './matter.commands';
import { mattersProjection } from './matter.projection';
import { MattersReadController, MattersWriteController } from './matters.controllers';

export const mattersArea: Area = {
  definition: Matter,
  write: { controllers: [MattersWriteController], handlers: matterHandlers },
  read: { controllers: [MattersReadController] },
  projections: [mattersProjection],
};
