import type { Area } from '../records/area';
import { ApplicableRate } from './applicable-rate';
import { applicableRateHandlers } from './applicable-rate.commands';
import { applicableRatesProjection } from './applicable-rate.projection';
import {
  ApplicableRatesReadController,
  ApplicableRatesWriteController,
} from './applicable-rates.controllers';
import { ResolveRateHandler } from './resolve-rate.query';

export const applicableRatesArea: Area = {
  definition: ApplicableRate,
  write: { controllers: [ApplicableRatesWriteController], handlers: applicableRateHandlers },
  read: { controllers: [ApplicableRatesReadController], handlers: [ResolveRateHandler] },
  projections: [applicableRatesProjection],
};
