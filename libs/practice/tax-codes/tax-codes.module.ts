import type { Area } from '../records/area';
import { TaxCode } from './tax-code';
import { taxCodesProjection } from './tax-code.projection';
import { TaxCodesReadController, TaxCodesWriteController } from './tax-codes.controllers';

export const taxCodesArea: Area = {
  definition: TaxCode,
  write: { controllers: [TaxCodesWriteController], handlers: [] },
  read: { controllers: [TaxCodesReadController] },
  projections: [taxCodesProjection],
};
