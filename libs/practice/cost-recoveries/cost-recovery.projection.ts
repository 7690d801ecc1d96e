import { column, reference, stateTable } from '../records/state-table';
import { CostRecovery, type CostRecoveryState } from './cost-recovery';

export const costRecoveriesProjection = stateTable(CostRecovery, {
  name: 'cost-recoveries',
  version: 1,
  columns: {
    entry_date: column<CostRecoveryState>('timestamptz', ({ entryDate }) => entryDate),
    entry_day: column<CostRecoveryState>('date', ({ entryDay }) => entryDay),
    matter_id: reference<CostRecoveryState>(({ matterId }) => matterId),
    disbursement_code_id: reference<CostRecoveryState>(({ disbursementCodeId }) => disbursementCodeId),
    tax_code_id: reference<CostRecoveryState>(({ taxCodeId }) => taxCodeId),
    supplier_id: reference<CostRecoveryState>(({ supplierId }) => supplierId),
    invoice_id: reference<CostRecoveryState>(({ invoiceId }) => invoiceId),
    kind: column<CostRecoveryState>('text', ({ kind }) => kind),
    cost_state: column<CostRecoveryState>('smallint', ({ state }) => state),
    currency: column<CostRecoveryState>('text', ({ unitAmount }) => unitAmount.currency),
    quantity: column<CostRecoveryState>('numeric', ({ quantity }) => quantity),
    unit_amount: column<CostRecoveryState>('numeric', ({ unitAmount }) => unitAmount.amount),
    total: column<CostRecoveryState>('numeric', ({ total }) => total),
    remaining: column<CostRecoveryState>('numeric', ({ remaining }) => remaining),
  },
  words: ({ description }) => [description],
});
