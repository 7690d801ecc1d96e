import type { Area } from '../records/area';
import { DisbursementCode } from './disbursement-code';
import { disbursementCodesProjection } from './disbursement-code.projection';
import {
  DisbursementCodesReadController,
  DisbursementCodesWriteController,
} from './disbursement-codes.controllers';

export const disbursementCodesArea: Area = {
  definition: DisbursementCode,
  write: { controllers: [DisbursementCodesWriteController], handlers: [] },
  read: { controllers: [DisbursementCodesReadController] },
  projections: [disbursementCodesProjection],
};
