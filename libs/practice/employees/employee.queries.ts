import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { type MoneyRecord, moneyRecord } from '#kernel/money';
import { FlagFilter, IdFilter, IdsFilter, ListQuery, SortFilter } from '#platform/http/input/list-query';
import { ActivityFilter, activityName } from '../records/activity';
import { joinedText, MoneyView, nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { EmployeeState } from './employee';

export class EmployeeView extends RecordView {
  @ApiProperty() entityId: string;
  @ApiProperty({ type: 'integer', description: '1 Active, 2 Inactive' }) state: number;
  @ApiProperty() stateName: string;
  @ApiProperty(nullableText) initials: string | null;
  @ApiProperty({ ...nullableText, description: 'The division that the employee works in; null: none.' })
  divisionId: string | null;
  @ApiProperty(nullableText) jobTitle: string | null;
  @ApiProperty({
    ...nullableText,
    description: 'The grade by which rate sets and agreed rates can name employees.',
  })
  billingGrade: string | null;
  @ApiProperty({ description: 'Whether the employee does work that is charged to clients.' })
  isFeeEarner: boolean;
  @ApiProperty({
    type: MoneyView,
    nullable: true,
    description:
      'The rate for one hour, where no agreed rate, no rate set of the matter or client and no task type has one; ' +
      'null: none.',
  })
  defaultRate: MoneyRecord | null;
  @ApiProperty(joinedText) sortName?: string | null;
  @ApiProperty(joinedText) fullName?: string | null;
  @ApiProperty(joinedText) email?: string | null;
  @ApiProperty(joinedText) divisionName?: string | null;
}

export function employeeView(folded: Folded<EmployeeState>): EmployeeView {
  const { data } = folded;
  return Object.assign(recordView(folded), {
    entityId: data.entityId,
    state: data.state,
    stateName: activityName(data.state),
    initials: data.initials,
    divisionId: data.divisionId,
    jobTitle: data.jobTitle,
    billingGrade: data.billingGrade,
    isFeeEarner: data.isFeeEarner,
    defaultRate: data.defaultRate && moneyRecord(data.defaultRate),
  });
}

const sorts = {
  sortName: 'e.sort_name',
  initials: 'r.initials',
  createdOn: 'r.created_on',
  updatedOn: 'r.updated_on',
};

export class EmployeesQuery extends ListQuery {
  @IdsFilter('employee')
  declare ids?: string[];

  @ActivityFilter()
  state?: number;

  @IdFilter('division', 'Only employees of this division.')
  divisionId?: string;

  @FlagFilter('True: only fee earners. False: only other employees.')
  isFeeEarner?: boolean;

  @IdFilter('entity', 'Only the employee with this entity.')
  entityId?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const employees: RecordList<EmployeesQuery, EmployeeView> = {
  kind: 'employee',
  projection: 'employees',
  joins: [
    {
      projection: 'people',
      alias: 'e',
      on: 'r.entity_id',
      columns: { sort_name: 'sort_name', full_name: 'full_name', email: 'email' },
    },
    {
      projection: 'divisions',
      alias: 'd',
      on: 'r.division_id',
      columns: { division_name: 'name' },
    },
  ],
  sorts,
  order: 'sortName',
  searched: ['r', 'e'],
  filter({ state, divisionId, isFeeEarner, entityId }, where) {
    if (state !== undefined) where('r.employee_state', '=', state);
    if (divisionId !== undefined) where('r.division_id', '=', toUuid(divisionId));
    if (isFeeEarner !== undefined) where('r.is_fee_earner', '=', isFeeEarner);
    if (entityId !== undefined) where('r.entity_id', '=', toUuid(entityId));
  },
  view: (row) =>
    Object.assign(employeeView(foldedRow(employees, row)), {
      sortName: row.sort_name as string | null,
      fullName: row.full_name as string | null,
      email: row.email as string | null,
      divisionName: row.division_name as string | null,
    }),
};
