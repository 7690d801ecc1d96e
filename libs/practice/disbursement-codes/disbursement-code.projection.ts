import { column, reference, stateTable } from '../records/state-table';
import { DisbursementCode, type DisbursementCodeState } from './disbursement-code';

export const disbursementCodesProjection = stateTable(DisbursementCode, {
  name: 'disbursement-codes',
  version: 1,
  columns: {
    code: column<DisbursementCodeState>('text', ({ code }) => code),
    name: column<DisbursementCodeState>('text', ({ name }) => name),
    activity: column<DisbursementCodeState>('smallint', ({ state }) => state),
    kind: column<DisbursementCodeState>('text', ({ kind }) => kind),
    tax_code_id: reference<DisbursementCodeState>(({ taxCodeId }) => taxCodeId),
    supplier_id: reference<DisbursementCodeState>(({ supplierId }) => supplierId),
  },
  words: ({ code, name }) => [code, name],
});
