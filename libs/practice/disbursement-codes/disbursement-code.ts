import { type SwitchedState, simpleRecord } from '../records/simple-record';
import { type DisbursementCodeFields, disbursementCodeEvents } from './disbursement-code.events';

export interface DisbursementCodeState extends SwitchedState, DisbursementCodeFields {}

export const DisbursementCode = simpleRecord<DisbursementCodeState>({
  kind: 'disbursementcode',
  name: 'DisbursementCode',
  events: disbursementCodeEvents,
  links: ({ taxCodeId, supplierId }) => [
    { kind: 'disbursementcode_taxcode', target: taxCodeId },
    ...(supplierId ? [{ kind: 'disbursementcode_supplier', target: supplierId }] : []),
  ],
  keys: ({ code }) => [{ kind: 'disbursement_code', key: code }],
});
