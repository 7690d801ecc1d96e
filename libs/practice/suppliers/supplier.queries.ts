import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { IdFilter, IdsFilter, ListQuery, SortFilter } from '#platform/http/input/list-query';
import { ActivityFilter, activityName } from '../records/activity';
import { joinedText, nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { SupplierState } from './supplier';

export class SupplierView extends RecordView {
  @ApiProperty() entityId: string;
  @ApiProperty({ type: 'integer', description: '1 Active, 2 Inactive' }) state: number;
  @ApiProperty() stateName: string;
  @ApiProperty({
    ...nullableText,
    description: 'The tax code by which the supplier usually charges, for information only; null: none.',
  })
  taxCodeId: string | null;
  @ApiProperty({
    ...nullableText,
    description: 'The disbursement code that is usual for costs from this supplier; null: none.',
  })
  defaultDisbursementCodeId: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How many days after its date a bill of the supplier is due',
  })
  paymentTermsDays: number | null;
  @ApiProperty(joinedText) sortName?: string | null;
  @ApiProperty(joinedText) fullName?: string | null;
  @ApiProperty(joinedText) email?: string | null;
}

export function supplierView(folded: Folded<SupplierState>): SupplierView {
  const { entityId, state, taxCodeId, defaultDisbursementCodeId, paymentTermsDays } = folded.data;
  const terms = { taxCodeId, defaultDisbursementCodeId, paymentTermsDays };
  return Object.assign(recordView(folded), { entityId, state, stateName: activityName(state), ...terms });
}

const sorts = { sortName: 'e.sort_name', createdOn: 'r.created_on', updatedOn: 'r.updated_on' };

export class SuppliersQuery extends ListQuery {
  @IdsFilter('supplier')
  declare ids?: string[];

  @ActivityFilter()
  state?: number;

  @IdFilter('entity', 'Only the supplier with this entity.')
  entityId?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const suppliers: RecordList<SuppliersQuery, SupplierView> = {
  kind: 'supplier',
  projection: 'suppliers',
  joins: [
    {
      projection: 'people',
      alias: 'e',
      on: 'r.entity_id',
      columns: { sort_name: 'sort_name', full_name: 'full_name', email: 'email' },
    },
  ],
  sorts,
  order: 'sortName',
  searched: ['e'],
  filter({ state, entityId }, where) {
    if (state !== undefined) where('r.activity', '=', state);
    if (entityId !== undefined) where('r.entity_id', '=', toUuid(entityId));
  },
  view: (row) =>
    Object.assign(supplierView(foldedRow(suppliers, row)), {
      sortName: row.sort_name as string | null,
      fullName: row.full_name as string | null,
      email: row.email as string | null,
    }),
};
