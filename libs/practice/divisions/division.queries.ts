import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { IdsFilter, ListQuery, SortFilter } from '#platform/http/input/list-query';
import { ActivityFilter, activityName } from '../records/activity';
import { RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { DivisionState } from './division';

export class DivisionView extends RecordView {
  @ApiProperty({ type: String, nullable: true })
  code: string | null;

  @ApiProperty()
  name: string;

  @ApiProperty({ description: "Whether this is the tenant's default division." })
  isDefault: boolean;

  @ApiProperty({ type: 'integer', description: '1 Active, 2 Inactive' })
  state: number;

  @ApiProperty()
  stateName: string;
}

export function divisionView(folded: Folded<DivisionState>): DivisionView {
  const { code, name, isDefault, state } = folded.data;
  return Object.assign(recordView(folded), { code, name, isDefault, state, stateName: activityName(state) });
}

const sorts = { name: 'r.name', code: 'r.code', createdOn: 'r.created_on', updatedOn: 'r.updated_on' };

export class DivisionsQuery extends ListQuery {
  @IdsFilter('division')
  declare ids?: string[];

  @ActivityFilter()
  state?: number;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const divisions: RecordList<DivisionsQuery, DivisionView> = {
  kind: 'division',
  projection: 'divisions',
  sorts,
  order: 'name',
  filter({ state }, where) {
    if (state !== undefined) where('r.division_state', '=', state);
  },
  view: (row) => divisionView(foldedRow(divisions, row)),
};
