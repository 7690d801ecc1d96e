import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { type MoneyRecord, moneyRecord } from '#kernel/money';
import { ChoiceFilter, IdFilter, IdsFilter, ListQuery, SortFilter } from '#platform/http/input/list-query';
import { type Per, pers } from '../rate-sets/rate-set.events';
import { joinedText, MoneyView, nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { ApplicableRateState } from './applicable-rate';
import { type Scope, scopes } from './applicable-rate.events';

export class ApplicableRateView extends RecordView {
  @ApiProperty({ enum: scopes, description: 'Whether the rate is agreed for a matter or for a client.' })
  scope: Scope;
  @ApiProperty({ description: 'The id of the matter or the client' }) scopeId: string;
  @ApiProperty({ type: MoneyView, description: "The rate, in the tenant's base currency." })
  rate: MoneyRecord;
  @ApiProperty({
    enum: pers,
    description: 'Hour: the rate for one hour of timed work. Unit: the rate for one unit of itemised work.',
  })
  per: Per;
  @ApiProperty({ ...nullableText, description: 'The employee whose work the rate is for; null: any.' })
  employeeId: string | null;
  @ApiProperty({
    ...nullableText,
    description: 'The billing grade of the employees whose work the rate is for; null: any.',
  })
  billingGrade: string | null;
  @ApiProperty({ ...nullableText, description: 'The task type of the work that the rate is for; null: any.' })
  taskTypeId: string | null;
  @ApiProperty({ format: 'date', description: 'The first entry date that the rate is for' })
  effectiveFrom: string;
  @ApiProperty({
    ...nullableText,
    format: 'date',
    description: 'The last entry date that the rate is for; null: until further notice',
  })
  effectiveTo: string | null;
  @ApiProperty({
    ...joinedText,
    description: 'The number of the matter or the client. Present only in answers to GET.',
  })
  scopeNumber?: string | null;
  @ApiProperty(joinedText) employeeSortName?: string | null;
  @ApiProperty(joinedText) taskTypeName?: string | null;
}

export function applicableRateView(folded: Folded<ApplicableRateState>): ApplicableRateView {
  const { data } = folded;
  return Object.assign(recordView(folded), {
    scope: data.scope,
    scopeId: data.scopeId,
    rate: moneyRecord(data.rate),
    per: data.per,
    employeeId: data.employeeId,
    billingGrade: data.billingGrade,
    taskTypeId: data.taskTypeId,
    effectiveFrom: data.effectiveFrom,
    effectiveTo: data.effectiveTo,
  });
}

const sorts = { effectiveFrom: 'r.effective_from', createdOn: 'r.created_on', updatedOn: 'r.updated_on' };

export class ApplicableRatesQuery extends ListQuery {
  @IdsFilter('applicablerate')
  declare ids?: string[];

  @ChoiceFilter('Only rates that are agreed for matters, or only those for clients.', scopes)
  scope?: Scope;

  @IdFilter('matter', 'Only rates that are agreed for this matter itself.')
  matterId?: string;

  @IdFilter('client', 'Only rates that are agreed for this client, that is for all of its matters.')
  clientId?: string;

  @IdFilter('employee', 'Only rates for this employee.')
  employeeId?: string;

  @IdFilter('tasktype', 'Only rates for work of this type.')
  taskTypeId?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const applicableRates: RecordList<ApplicableRatesQuery, ApplicableRateView> = {
  kind: 'applicablerate',
  projection: 'applicable-rates',
  joins: [
    { projection: 'matters', alias: 'm', on: 'r.scope_id', columns: { matter_number: 'matter_number' } },
    { projection: 'clients', alias: 'c', on: 'r.scope_id', columns: { client_number: 'client_number' } },
    { projection: 'employees', alias: 'e', on: 'r.employee_id', columns: {} },
    { projection: 'people', alias: 'p', on: 'e.entity_id', columns: { sort_name: 'sort_name' } },
    { projection: 'task-types', alias: 't', on: 'r.task_type_id', columns: { task_type: 'name' } },
  ],
  sorts,
  order: 'effectiveFrom',
  filter({ scope, matterId, clientId, employeeId, taskTypeId }, where) {
    if (scope) where('r.scope', '=', scope);
    if (matterId) where('r.scope_id', '=', toUuid(matterId));
    if (clientId) where('r.scope_id', '=', toUuid(clientId));
    if (employeeId) where('r.employee_id', '=', toUuid(employeeId));
    if (taskTypeId) where('r.task_type_id', '=', toUuid(taskTypeId));
  },
  view: (row) =>
    Object.assign(applicableRateView(foldedRow(applicableRates, row)), {
      scopeNumber: (row.matter_number ?? row.client_number ?? null) as string | null,
      employeeSortName: row.sort_name as string | null,
      taskTypeName: row.task_type as string | null,
    }),
};
