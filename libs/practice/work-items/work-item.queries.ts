import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { decimal, type MoneyRecord, moneyRecord } from '#kernel/money';
import {
  IdFilter,
  IdsFilter,
  InstantFilter,
  ListQuery,
  SortFilter,
  WholeNumberFilter,
} from '#platform/http/input/list-query';
import { rateLevels } from '../applicable-rates/rate.lookup';
import { billableStatusName } from '../billable/billable';
import { joinedText, MoneyView, nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { WorkItemState } from './work-item';

export class WorkItemView extends RecordView {
  @ApiProperty({
    ...nullableText,
    description: 'The matter that the work was done on; null for work on no matter.',
  })
  matterId: string | null;
  @ApiProperty() employeeId: string;
  @ApiProperty({ type: 'integer', description: '0 Timed Fee, 1 Itemised Fee' }) itemType: number;
  @ApiProperty() itemTypeName: string;
  @ApiProperty({ format: 'date-time', description: 'When the work was done.' })
  entryDate: string;
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'The duration in ticks of 100 ns: 10,000,000 ticks are one second.',
  })
  durationTicks: number;
  @ApiProperty({ description: 'The number of units charged.' })
  units: number;
  @ApiProperty({ description: 'Whether the units were given in a request, and not derived from the ticks' })
  unitsOverridden: boolean;
  @ApiProperty({ description: 'The length of all units together, in hours' }) unitDuration: number;
  @ApiProperty({
    type: MoneyView,
    description: 'The rate for one hour of a timed fee, or for one unit of an itemised fee.',
  })
  rate: MoneyRecord;
  @ApiProperty({
    enum: ['Request', ...rateLevels],
    description:
      'Where the rate comes from. Request: it was given with the work item. Any other value is the level at which the ' +
      'rate was found.',
  })
  rateSource: string;
  @ApiProperty({ ...nullableText, description: 'What was done.' })
  title: string | null;
  @ApiProperty(nullableText) taskTypeId: string | null;
  @ApiProperty({ description: 'Whether the work can be billed.' })
  isBillable: boolean;
  @ApiProperty({ type: MoneyView, description: 'The value of all units at the rate, without tax.' })
  total: MoneyRecord;
  @ApiProperty({ type: MoneyView, description: "The total in the tenant's base currency" })
  totalBase: MoneyRecord;
  @ApiProperty({ type: MoneyView, description: 'The value that has been neither billed nor written off' })
  remaining: MoneyRecord;
  @ApiProperty({ description: 'The units that have been neither billed nor written off.' })
  remainingUnits: number;
  @ApiProperty({ type: 'integer', description: '0 Pending, 1 Finalised, 2 Billed, 3 WrittenOff' })
  state: number;
  @ApiProperty() stateName: string;
  @ApiProperty({
    ...nullableText,
    description: 'The invoice that the work is on, a draft included; null: none.',
  })
  invoiceId: string | null;
  @ApiProperty(joinedText) matterNumber?: string | null;
  @ApiProperty(joinedText) matterTitle?: string | null;
  @ApiProperty(joinedText) employeeSortName?: string | null;
  @ApiProperty(joinedText) taskTypeName?: string | null;
}

export function workItemView(folded: Folded<WorkItemState>): WorkItemView {
  const { data } = folded;
  const { currency } = data.rate;
  const total = moneyRecord({ amount: data.total, currency });
  return Object.assign(recordView(folded), {
    matterId: data.matterId,
    employeeId: data.employeeId,
    itemType: data.itemType,
    itemTypeName: data.itemType === 0 ? 'Timed Fee' : 'Itemised Fee',
    entryDate: data.entryDate,
    durationTicks: data.durationTicks,
    units: Number(data.units),
    unitsOverridden: data.unitsOverridden,
    unitDuration: decimal(data.units).mul(data.minutesPerUnit).div(60).toDecimalPlaces(10).toNumber(),
    rate: moneyRecord(data.rate),
    rateSource: data.rateSource,
    title: data.title,
    taskTypeId: data.taskTypeId,
    isBillable: data.isBillable,
    total,
    totalBase: total,
    remaining: moneyRecord({ amount: data.remaining, currency }),
    remainingUnits: Number(data.remainingUnits),
    state: data.state,
    stateName: billableStatusName(data.state),
    invoiceId: data.invoiceId,
  });
}

const sorts = {
  entryDate: 'r.entry_date',
  createdOn: 'r.created_on',
  updatedOn: 'r.updated_on',
  matterNumber: 'm.matter_number',
  employeeSortName: 'p.sort_name',
};

export class WorkItemsQuery extends ListQuery {
  @IdsFilter('workitem')
  declare ids?: string[];

  @IdFilter('matter', 'Only work on this matter.')
  matterId?: string;

  @IdFilter('employee', 'Only work of this employee.')
  employeeId?: string;

  @WholeNumberFilter('0 Pending, 1 Finalised, 2 Billed, 3 WrittenOff.', { min: 0, max: 3 })
  state?: number;

  @WholeNumberFilter('0 Timed Fee, 1 Itemised Fee.', { min: 0, max: 1 })
  itemType?: number;

  @InstantFilter(
    'Only work with an entry date at this instant or later. A date alone means the beginning of that day in the ' +
      "tenant's time zone.",
  )
  entryDateFrom?: string;

  @InstantFilter(
    "Only work with an entry date before this instant. A date alone includes that whole day in the tenant's time " +
      'zone.',
  )
  entryDateTo?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const workItems: RecordList<WorkItemsQuery, WorkItemView> = {
  kind: 'workitem',
  projection: 'work-items',
  joins: [
    {
      projection: 'matters',
      alias: 'm',
      on: 'r.matter_id',
      columns: { matter_number: 'matter_number', matter_title: 'title' },
    },
    { projection: 'employees', alias: 'e', on: 'r.employee_id', columns: {} },
    {
      projection: 'people',
      alias: 'p',
      on: 'e.entity_id',
      columns: { sort_name: 'sort_name' },
    },
    { projection: 'task-types', alias: 't', on: 'r.task_type_id', columns: { task_type: 'name' } },
  ],
  sorts,
  order: '-entryDate',
  times: { entryDateFrom: 'from', entryDateTo: 'until' },
  searched: ['r', 'm'],
  filter({ matterId, employeeId, state, itemType, entryDateFrom, entryDateTo }, where) {
    if (matterId) where('r.matter_id', '=', toUuid(matterId));
    if (employeeId) where('r.employee_id', '=', toUuid(employeeId));
    if (state !== undefined) where('r.item_state', '=', state);
    if (itemType !== undefined) where('r.item_type', '=', itemType);
    if (entryDateFrom) where('r.entry_date', '>=', new Date(entryDateFrom));
    if (entryDateTo) where('r.entry_date', '<', new Date(entryDateTo));
  },
  view: (row) =>
    Object.assign(workItemView(foldedRow(workItems, row)), {
      matterNumber: row.matter_number as string | null,
      matterTitle: row.matter_title as string | null,
      employeeSortName: row.sort_name as string | null,
      taskTypeName: row.task_type as string | null,
    }),
};
