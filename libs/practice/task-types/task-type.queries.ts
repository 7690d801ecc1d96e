import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { type MoneyRecord, moneyRecord } from '#kernel/money';
import {
  IdsFilter,
  ListQuery,
  SortFilter,
  TextFilter,
  WholeNumberFilter,
} from '#platform/http/input/list-query';
import { ActivityFilter, activityName } from '../records/activity';
import { MoneyView, nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { TaskTypeState } from './task-type';

const codeOfSet = { ...nullableText, description: 'A code of a published code set, UTBMS or EW-J.' };

export class TaskTypeView extends RecordView {
  @ApiProperty({ example: 'L120' }) code: string;
  @ApiProperty({ example: 'Analysis/Strategy' }) name: string;
  @ApiProperty({
    type: 'integer',
    enum: [0, 1],
    nullable: true,
    description: 'The type of the work items that it is for: 0 Timed Fee, 1 Itemised Fee; null: both',
  })
  itemType: 0 | 1 | null;
  @ApiProperty({ ...codeOfSet, example: 'L100' }) phaseCode: string | null;
  @ApiProperty({ ...codeOfSet, example: 'L120' }) taskCode: string | null;
  @ApiProperty({ ...codeOfSet, example: 'A103' }) activityCode: string | null;
  @ApiProperty({ ...nullableText, description: 'The title of a work item of this type that is given none.' })
  narration: string | null;
  @ApiProperty({ description: 'Whether new work of this type can be billed, if the work item does not say.' })
  isBillable: boolean;
  @ApiProperty({
    type: MoneyView,
    nullable: true,
    description: 'The rate for one hour of timed work, or for one unit of itemised work.',
  })
  rate: MoneyRecord | null;
  @ApiProperty({ type: 'integer', description: '1 Active, 2 Inactive' }) state: number;
  @ApiProperty() stateName: string;
}

export function taskTypeView(folded: Folded<TaskTypeState>): TaskTypeView {
  const { data } = folded;
  return Object.assign(recordView(folded), {
    code: data.code,
    name: data.name,
    itemType: data.itemType,
    phaseCode: data.phaseCode,
    taskCode: data.taskCode,
    activityCode: data.activityCode,
    narration: data.narration,
    isBillable: data.isBillable,
    rate: data.rate && moneyRecord(data.rate),
    state: data.state,
    stateName: activityName(data.state),
  });
}

const sorts = { code: 'r.code', name: 'r.name', createdOn: 'r.created_on', updatedOn: 'r.updated_on' };

export class TaskTypesQuery extends ListQuery {
  @IdsFilter('tasktype')
  declare ids?: string[];

  @ActivityFilter()
  state?: number;

  @WholeNumberFilter(
    'Only task types that are for this type of work items alone: 0 Timed Fee, 1 Itemised Fee.',
    { min: 0, max: 1 },
  )
  itemType?: number;

  @TextFilter('Only task types with this phase code.', 20)
  phaseCode?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const taskTypes: RecordList<TaskTypesQuery, TaskTypeView> = {
  kind: 'tasktype',
  projection: 'task-types',
  sorts,
  order: 'code',
  filter({ state, itemType, phaseCode }, where) {
    if (state !== undefined) where('r.activity', '=', state);
    if (itemType !== undefined) where('r.item_type', '=', itemType);
    if (phaseCode !== undefined) where('r.phase_code', '=', phaseCode);
  },
  view: (row) => taskTypeView(foldedRow(taskTypes, row)),
};
