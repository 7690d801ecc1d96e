import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { type MoneyRecord, moneyRecord } from '#kernel/money';
import { ChoiceFilter, IdFilter, IdsFilter, ListQuery, SortFilter } from '#platform/http/input/list-query';
import { ActivityFilter, activityName } from '../records/activity';
import { joinedText, MoneyView, nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { DisbursementCodeState } from './disbursement-code';
import { type DisbursementKind, disbursementKinds } from './disbursement-code.events';

export class DisbursementCodeView extends RecordView {
  @ApiProperty({ example: 'SEARCH' }) code: string;
  @ApiProperty({ example: 'Land registry search' }) name: string;
  @ApiProperty({
    enum: disbursementKinds,
    nullable: true,
    description: 'The kind of the costs that it is for; null: any',
  })
  kind: DisbursementKind | null;
  @ApiProperty({ description: 'The tax code of a cost with this code that is given none.' })
  taxCodeId: string;
  @ApiProperty({ type: MoneyView, nullable: true, description: 'The price of one.' })
  unitAmount: MoneyRecord | null;
  @ApiProperty({
    ...nullableText,
    description: 'The description of a cost with this code that is given none.',
  })
  description: string | null;
  @ApiProperty({ ...nullableText, description: 'The supplier from whom it is usually bought; null: none.' })
  supplierId: string | null;
  @ApiProperty({
    ...nullableText,
    description: 'A code of a published code set, such as UTBMS.',
    example: 'E112',
  })
  expenseCode: string | null;
  @ApiProperty({ type: 'integer', description: '1 Active, 2 Inactive' }) state: number;
  @ApiProperty() stateName: string;
  @ApiProperty({ ...joinedText, description: 'The code of the tax code. Present only in answers to GET.' })
  taxCode?: string | null;
  @ApiProperty(joinedText) supplierSortName?: string | null;
}

export function disbursementCodeView(folded: Folded<DisbursementCodeState>): DisbursementCodeView {
  const { data } = folded;
  return Object.assign(recordView(folded), {
    code: data.code,
    name: data.name,
    kind: data.kind,
    taxCodeId: data.taxCodeId,
    unitAmount: data.unitAmount && moneyRecord(data.unitAmount),
    description: data.description,
    supplierId: data.supplierId,
    expenseCode: data.expenseCode,
    state: data.state,
    stateName: activityName(data.state),
  });
}

const sorts = { code: 'r.code', name: 'r.name', createdOn: 'r.created_on', updatedOn: 'r.updated_on' };

export class DisbursementCodesQuery extends ListQuery {
  @IdsFilter('disbursementcode')
  declare ids?: string[];

  @ActivityFilter()
  state?: number;

  @ChoiceFilter('Only codes of this kind.', disbursementKinds)
  kind?: DisbursementKind;

  @IdFilter('taxcode', 'Only codes with this tax code.')
  taxCodeId?: string;

  @IdFilter('supplier', 'Only codes for what is usually bought from this supplier.')
  supplierId?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const disbursementCodes: RecordList<DisbursementCodesQuery, DisbursementCodeView> = {
  kind: 'disbursementcode',
  projection: 'disbursement-codes',
  joins: [
    { projection: 'tax-codes', alias: 't', on: 'r.tax_code_id', columns: { tax_code: 'code' } },
    { projection: 'suppliers', alias: 's', on: 'r.supplier_id', columns: {} },
    { projection: 'people', alias: 'p', on: 's.entity_id', columns: { supplier_sort_name: 'sort_name' } },
  ],
  sorts,
  order: 'code',
  filter({ state, kind, taxCodeId, supplierId }, where) {
    if (state !== undefined) where('r.activity', '=', state);
    if (kind !== undefined) where('r.kind', '=', kind);
    if (taxCodeId !== undefined) where('r.tax_code_id', '=', toUuid(taxCodeId));
    if (supplierId !== undefined) where('r.supplier_id', '=', toUuid(supplierId));
  },
  view: (row) =>
    Object.assign(disbursementCodeView(foldedRow(disbursementCodes, row)), {
      taxCode: row.tax_code as string | null,
      supplierSortName: row.supplier_sort_name as string | null,
    }),
};
