import { column, reference, stateTable } from '../records/state-table';
import { WorkItem, type WorkItemState } from './work-item';
import { workItemDerived } from './work-item.facts';

export const workItemsProjection = stateTable(WorkItem, {
  name: 'work-items',
  version: 3,
  columns: {
    entry_date: column<WorkItemState>('timestamptz', ({ entryDate }) => entryDate),
    entry_day: column<WorkItemState>('date', ({ entryDay }) => entryDay),
    matter_id: reference<WorkItemState>(({ matterId }) => matterId),
    employee_id: reference<WorkItemState>(({ employeeId }) => employeeId),
    task_type_id: reference<WorkItemState>(({ taskTypeId }) => taskTypeId),
    invoice_id: reference<WorkItemState>(({ invoiceId }) => invoiceId),
    item_type: column<WorkItemState>('smallint', ({ itemType }) => itemType),
    item_state: column<WorkItemState>('smallint', ({ state }) => state),
    is_billable: column<WorkItemState>('boolean', ({ isBillable }) => isBillable),
    title: column<WorkItemState>('text', ({ title }) => title),
    currency: column<WorkItemState>('text', ({ rate }) => rate.currency),
    rate: column<WorkItemState>('numeric', ({ rate }) => rate.amount),
    units: column<WorkItemState>('numeric', ({ units }) => units),
    unit_minutes: column<WorkItemState>('numeric', ({ minutesPerUnit }) => minutesPerUnit),
    duration_ticks: column<WorkItemState>('bigint', ({ durationTicks }) => durationTicks),
    total: column<WorkItemState>('numeric', ({ total }) => total),
    total_base: column<WorkItemState>('numeric', ({ total }) => total),
    remaining: column<WorkItemState>('numeric', ({ remaining }) => remaining),
  },
  words: ({ title }) => [title],
  derived: workItemDerived,
});
