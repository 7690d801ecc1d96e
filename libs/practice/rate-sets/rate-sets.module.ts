import type { Area } from '../records/area';
import { RateSet } from './rate-set';
import { rateSetHandlers } from './rate-set.commands';
import { rateSetsProjection } from './rate-set.projection';
import { RateSetsReadController, RateSetsWriteController } from './rate-sets.controllers';

export const rateSetsArea: Area = {
  definition: RateSet,
  write: { controllers: [RateSetsWriteController], handlers: rateSetHandlers },
  read: { controllers: [RateSetsReadController] },
  projections: [rateSetsProjection],
};
