import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { IdFilter, IdsFilter, ListQuery, SortFilter } from '#platform/http/input/list-query';
import { ActivityFilter, activityName } from '../records/activity';
import { joinedText, nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { MatterTypeState } from './matter-type';

export class MatterTypeView extends RecordView {
  @ApiProperty(nullableText) code: string | null;
  @ApiProperty() name: string;
  @ApiProperty({ ...nullableText, description: 'The matter type above this one; null: none.' })
  parentId: string | null;
  @ApiProperty({ type: [String], description: 'The divisions that do such work; empty: all.' })
  divisionIds: string[];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'For how many years the file is kept after the matter is closed; null: not said.',
  })
  retentionYears: number | null;
  @ApiProperty({ type: 'integer', description: '1 Active, 2 Inactive' }) state: number;
  @ApiProperty() stateName: string;
  @ApiProperty(joinedText) parentName?: string | null;
}

export function matterTypeView(folded: Folded<MatterTypeState>): MatterTypeView {
  const { code, name, parentId, divisionIds, retentionYears, state } = folded.data;
  const own = { code, name, parentId, divisionIds, retentionYears, state, stateName: activityName(state) };
  return Object.assign(recordView(folded), own);
}

const sorts = { name: 'r.name', code: 'r.code', createdOn: 'r.created_on', updatedOn: 'r.updated_on' };

export class MatterTypesQuery extends ListQuery {
  @IdsFilter('mattertype')
  declare ids?: string[];

  @ActivityFilter()
  state?: number;

  @IdFilter('mattertype', 'Only types below this one.')
  parentId?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const matterTypes: RecordList<MatterTypesQuery, MatterTypeView> = {
  kind: 'mattertype',
  projection: 'matter-types',
  joins: [{ projection: 'matter-types', alias: 'p', on: 'r.parent_id', columns: { parent_name: 'name' } }],
  sorts,
  order: 'name',
  filter({ state, parentId }, where) {
    if (state !== undefined) where('r.activity', '=', state);
    if (parentId !== undefined) where('r.parent_id', '=', toUuid(parentId));
  },
  view: (row) =>
    Object.assign(matterTypeView(foldedRow(matterTypes, row)), {
      parentName: row.parent_name as string | null,
    }),
};
