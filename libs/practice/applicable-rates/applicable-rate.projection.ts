import { column, reference, stateTable } from '../records/state-table';
import { ApplicableRate, type ApplicableRateState } from './applicable-rate';

export const applicableRatesProjection = stateTable(ApplicableRate, {
  name: 'applicable-rates',
  version: 1,
  columns: {
    scope: column<ApplicableRateState>('text', ({ scope }) => scope),
    scope_id: reference<ApplicableRateState>(({ scopeId }) => scopeId),
    employee_id: reference<ApplicableRateState>(({ employeeId }) => employeeId),
    task_type_id: reference<ApplicableRateState>(({ taskTypeId }) => taskTypeId),
    effective_from: column<ApplicableRateState>('date', ({ effectiveFrom }) => effectiveFrom),
  },
  words: ({ billingGrade }) => [billingGrade],
});
