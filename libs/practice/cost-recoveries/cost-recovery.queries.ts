import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { type MoneyRecord, moneyRecord } from '#kernel/money';
import {
  ChoiceFilter,
  IdFilter,
  IdsFilter,
  InstantFilter,
  ListQuery,
  SortFilter,
  WholeNumberFilter,
} from '#platform/http/input/list-query';
import { billableStatusName } from '../billable/billable';
import { type DisbursementKind, disbursementKinds } from '../disbursement-codes/disbursement-code.events';
import { joinedText, MoneyView, nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { CostRecoveryState } from './cost-recovery';

/** An amount for the examples of responses. */
const gbp = (Amount: number): MoneyRecord => ({ Amount, Currency: 'GBP' });

export class CostRecoveryView extends RecordView {
  @ApiProperty() matterId: string;
  @ApiProperty() disbursementCodeId: string;
  @ApiProperty({
    enum: disbursementKinds,
    description:
      'CostRecovery: a cost of the firm itself. Anticipated: an expected cost, which cannot be billed as such. ' +
      'Incurred: bought from a supplier.',
  })
  kind: DisbursementKind;
  @ApiProperty({ format: 'date-time', description: 'When the cost arose.' })
  entryDate: string;
  @ApiProperty({ example: 2, description: 'How many were bought or used.' }) quantity: number;
  @ApiProperty({ type: MoneyView, description: 'The price of one, without tax', example: gbp(3) })
  unitAmount: MoneyRecord;
  @ApiProperty({ type: MoneyView, description: 'Quantity × unitAmount, without tax', example: gbp(6) })
  total: MoneyRecord;
  @ApiProperty({ description: 'The tax code by which the cost is charged to the client.' })
  taxCodeId: string;
  @ApiProperty({ ...nullableText, description: 'The supplier of an Incurred cost; null: none.' })
  supplierId: string | null;
  @ApiProperty({ example: 'Official copy of the register', description: 'What was bought or used.' })
  description: string;
  @ApiProperty({ type: MoneyView, description: 'The value that can still be billed', example: gbp(6) })
  remaining: MoneyRecord;
  @ApiProperty({ example: 2, description: 'The quantity that can still be billed.' })
  remainingQuantity: number;
  @ApiProperty({ type: 'integer', description: '0 Pending, 1 Finalised, 2 Billed, 3 WrittenOff' })
  state: number;
  @ApiProperty() stateName: string;
  @ApiProperty({
    ...nullableText,
    description: 'The invoice that the cost is on, a draft included; null: none.',
  })
  invoiceId: string | null;
  @ApiProperty(joinedText) matterNumber?: string | null;
  @ApiProperty(joinedText) matterTitle?: string | null;
  @ApiProperty({
    ...joinedText,
    description: 'The code of the disbursement code. Present only in answers to GET.',
    example: 'SEARCH',
  })
  disbursementCode?: string | null;
  @ApiProperty({ ...joinedText, example: 'Land registry search' })
  disbursementCodeName?: string | null;
  @ApiProperty(joinedText) supplierSortName?: string | null;
}

export function costRecoveryView(folded: Folded<CostRecoveryState>): CostRecoveryView {
  const { data } = folded;
  const { currency } = data.unitAmount;
  return Object.assign(recordView(folded), {
    matterId: data.matterId,
    disbursementCodeId: data.disbursementCodeId,
    kind: data.kind,
    entryDate: data.entryDate,
    quantity: Number(data.quantity),
    unitAmount: moneyRecord(data.unitAmount),
    total: moneyRecord({ amount: data.total, currency }),
    taxCodeId: data.taxCodeId,
    supplierId: data.supplierId,
    description: data.description,
    remaining: moneyRecord({ amount: data.remaining, currency }),
    remainingQuantity: Number(data.remainingUnits),
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
};

export class CostRecoveriesQuery extends ListQuery {
  @IdsFilter('costrecovery')
  declare ids?: string[];

  @IdFilter('matter', 'Only costs on this matter.')
  matterId?: string;

  @IdFilter('disbursementcode', 'Only costs of this disbursement code.')
  disbursementCodeId?: string;

  @IdFilter('supplier', 'Only costs of what was bought from this supplier.')
  supplierId?: string;

  @ChoiceFilter('Only costs of this kind.', disbursementKinds)
  kind?: DisbursementKind;

  @WholeNumberFilter('0 Pending, 1 Finalised, 2 Billed, 3 WrittenOff.', { min: 0, max: 3 })
  state?: number;

  @InstantFilter(
    'Only costs with an entry date at this instant or later. A date alone means the beginning of that day in the ' +
      "tenant's time zone.",
  )
  entryDateFrom?: string;

  @InstantFilter(
    "Only costs with an entry date before this instant. A date alone includes that whole day in the tenant's time " +
      'zone.',
  )
  entryDateTo?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const costRecoveries: RecordList<CostRecoveriesQuery, CostRecoveryView> = {
  kind: 'costrecovery',
  projection: 'cost-recoveries',
  joins: [
    {
      projection: 'matters',
      alias: 'm',
      on: 'r.matter_id',
      columns: { matter_number: 'matter_number', matter_title: 'title' },
    },
    {
      projection: 'disbursement-codes',
      alias: 'd',
      on: 'r.disbursement_code_id',
      columns: { disbursement_code: 'code', disbursement_code_name: 'name' },
    },
    { projection: 'suppliers', alias: 's', on: 'r.supplier_id', columns: {} },
    { projection: 'people', alias: 'p', on: 's.entity_id', columns: { supplier_sort_name: 'sort_name' } },
  ],
  sorts,
  order: '-entryDate',
  times: { entryDateFrom: 'from', entryDateTo: 'until' },
  filter({ matterId, disbursementCodeId, supplierId, kind, state, entryDateFrom, entryDateTo }, where) {
    if (matterId) where('r.matter_id', '=', toUuid(matterId));
    if (disbursementCodeId) where('r.disbursement_code_id', '=', toUuid(disbursementCodeId));
    if (supplierId) where('r.supplier_id', '=', toUuid(supplierId));
    if (kind !== undefined) where('r.kind', '=', kind);
    if (state !== undefined) where('r.cost_state', '=', state);
    if (entryDateFrom) where('r.entry_date', '>=', new Date(entryDateFrom));
    if (entryDateTo) where('r.entry_date', '<', new Date(entryDateTo));
  },
  view: (row) =>
    Object.assign(costRecoveryView(foldedRow(costRecoveries, row)), {
      matterNumber: row.matter_number as string | null,
      matterTitle: row.matter_title as string | null,
      disbursementCode: row.disbursement_code as string | null,
      disbursementCodeName: row.disbursement_code_name as string | null,
      supplierSortName: row.supplier_sort_name as string | null,
    }),
};
