import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { ChoiceFilter, IdsFilter, ListQuery, SortFilter } from '#platform/http/input/list-query';
import { RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { RoleState } from './role';
import { roleKinds } from './role.events';

export class RoleView extends RecordView {
  @ApiProperty({ example: 'Expert witness' }) name: string;
  @ApiProperty({
    enum: roleKinds,
    description:
      'An entity has a system role (Client, Employee, Supplier) by having the client, employee or supplier record. ' +
      'System roles are read-only.',
  })
  kind: string;
}

export function roleView(folded: Folded<RoleState>): RoleView {
  const { name, kind } = folded.data;
  return Object.assign(recordView(folded), { name, kind });
}

const sorts = { name: 'r.name', createdOn: 'r.created_on', updatedOn: 'r.updated_on' };

export class RolesQuery extends ListQuery {
  @IdsFilter('role')
  declare ids?: string[];

  @ChoiceFilter('Only roles of this kind.', roleKinds)
  kind?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const roles: RecordList<RolesQuery, RoleView> = {
  kind: 'role',
  projection: 'roles',
  sorts,
  order: 'name',
  filter({ kind }, where) {
    if (kind !== undefined) where('r.role_kind', '=', kind);
  },
  view: (row) => roleView(foldedRow(roles, row)),
};
