import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { type DecimalText, type MoneyRecord, moneyRecord } from '#kernel/money';
import {
  IdFilter,
  IdsFilter,
  InstantFilter,
  ListQuery,
  SortFilter,
  WholeNumberFilter,
} from '#platform/http/input/list-query';
import { joinedText, MoneyView, nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import { type InvoiceState, invoiceStatusName } from './invoice';
import { lineKinds } from './invoice.events';
import { taxCodeOf } from './invoice.totals';

const nullableDay = { ...nullableText, format: 'date', example: '2025-06-30' } as const;

export class InvoiceLineView {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    example: 1,
    description: 'Identifies the line within the invoice',
  })
  id: number;
  @ApiProperty({
    enum: lineKinds,
    description: 'What the line charges. A Discount is subtracted. A Text has only a description.',
  })
  kind: string;
  @ApiProperty({ ...nullableText, description: 'The work item or cost recovery that the line charges' })
  sourceId: string | null;
  @ApiProperty({ ...nullableText, description: 'The text of the line.' }) description: string | null;
  @ApiProperty({ type: Number, nullable: true, description: 'The units charged; null: not counted.' })
  units: number | null;
  @ApiProperty({
    type: MoneyView,
    nullable: true,
    description: 'The rate for one hour of timed work, or else for one unit; null: none is shown.',
  })
  rate: MoneyRecord | null;
  @ApiProperty({ type: MoneyView, description: 'Without tax; negative for a discount' }) amount: MoneyRecord;
  @ApiProperty({ ...nullableText, description: 'The tax code of the line; null for a line of text' })
  taxCodeId: string | null;
  @ApiProperty({ type: Number, nullable: true, description: 'In percent', example: 20 }) taxRate:
    | number
    | null;
}

export class InvoiceTaxView {
  @ApiProperty() taxCodeId: string;
  @ApiProperty({ description: 'In percent', example: 20 }) taxRate: number;
  @ApiProperty({ type: MoneyView, description: 'The sum of the lines with the tax code, without tax.' })
  net: MoneyRecord;
  @ApiProperty({ type: MoneyView, description: 'The tax on that sum.' }) tax: MoneyRecord;
}

export class PaymentView {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    example: 1,
    description: 'Identifies the payment within the invoice',
  })
  id: number;
  @ApiProperty({ format: 'date', example: '2025-07-14', description: 'The day of the payment.' })
  date: string;
  @ApiProperty({ type: MoneyView, description: 'The amount that was paid.' }) amount: MoneyRecord;
  @ApiProperty({
    ...nullableText,
    description: 'A text by which the firm finds the payment again, such as that on the bank statement.',
  })
  reference: string | null;
  @ApiProperty({
    ...nullableDay,
    description: 'The day on which the payment was reversed; null if it was not',
  })
  reversedDate: string | null;
  @ApiProperty({
    ...nullableText,
    description: 'Why the payment was reversed; null if it was not, or if no reason was given.',
  })
  reversalReason: string | null;
}

export class InvoiceView extends RecordView {
  @ApiProperty() clientId: string;
  @ApiProperty() matterId: string;
  @ApiProperty({
    ...nullableText,
    description: 'The invoice number. It is assigned when the invoice is first issued; null until then',
  })
  number: string | null;
  @ApiProperty({
    type: 'integer',
    description: '0 Draft, 1 Issued, 2 PartPaid, 3 Paid, 4 Voided, 5 WrittenOff',
  })
  state: number;
  @ApiProperty() stateName: string;
  @ApiProperty({ ...nullableDay, description: 'The day of issue; for a draft, the one that is intended.' })
  issueDate: string | null;
  @ApiProperty({ ...nullableDay, description: 'The last day to pay; for a draft, the one that is intended.' })
  dueDate: string | null;
  @ApiProperty({ description: 'The currency of all amounts (ISO 4217).' })
  currency: string;
  @ApiProperty({ type: [InvoiceLineView], description: 'The lines, in their order.' })
  lines: InvoiceLineView[];
  @ApiProperty({ type: [InvoiceTaxView], description: 'Net amount and tax of the lines, for each tax code' })
  taxes: InvoiceTaxView[];
  @ApiProperty({ type: MoneyView, description: 'The sum of the lines, without tax.' }) net: MoneyRecord;
  @ApiProperty({ type: MoneyView, description: 'The tax of all tax codes.' }) tax: MoneyRecord;
  @ApiProperty({ type: MoneyView, description: 'Net and tax together.' }) total: MoneyRecord;
  @ApiProperty({
    type: MoneyView,
    description: 'The amount still owed; 0 for a draft and for a voided invoice',
  })
  balance: MoneyRecord;
  @ApiProperty({ type: MoneyView, description: 'The sum of the payments that were not reversed' })
  paid: MoneyRecord;
  @ApiProperty({ type: MoneyView, description: 'The amount written off as bad debt' })
  writtenOff: MoneyRecord;
  @ApiProperty({ type: [PaymentView], description: 'All payments, reversed ones included.' })
  payments: PaymentView[];
  @ApiProperty(joinedText) matterNumber?: string | null;
  @ApiProperty(joinedText) matterTitle?: string | null;
  @ApiProperty(joinedText) clientNumber?: string | null;
  @ApiProperty(joinedText) clientSortName?: string | null;
}

export function invoiceView(folded: Folded<InvoiceState>): InvoiceView {
  const { data } = folded;
  const money = (amount: DecimalText) => moneyRecord({ amount, currency: data.currency });
  const percents = new Map(data.taxation.rates.map(({ taxCodeId, percent }) => [taxCodeId, Number(percent)]));
  return Object.assign(recordView(folded), {
    clientId: data.clientId,
    matterId: data.matterId,
    number: data.number,
    state: data.state,
    stateName: invoiceStatusName(data.state),
    issueDate: data.issueDate,
    dueDate: data.dueDate,
    currency: data.currency,
    lines: data.lines.map((line) => {
      const { id, kind, sourceId, description, units, rate, amount } = line;
      const taxCodeId = taxCodeOf(line, data.taxation);
      return {
        id,
        kind,
        sourceId,
        description,
        amount: money(amount),
        taxCodeId,
        units: units === null ? null : Number(units),
        rate: rate === null ? null : money(rate),
        taxRate: taxCodeId === null ? null : percents.get(taxCodeId)!,
      };
    }),
    taxes: data.taxes.map(({ taxCodeId, percent, net, tax }) => ({
      taxCodeId,
      taxRate: Number(percent),
      net: money(net),
      tax: money(tax),
    })),
    net: money(data.net),
    tax: money(data.tax),
    total: money(data.total),
    balance: money(data.balance),
    paid: money(data.paid),
    writtenOff: money(data.writtenOff),
    payments: data.payments.map(({ id, day, amount, reference, reversed }) => ({
      id,
      date: day,
      amount: money(amount),
      reference,
      reversedDate: reversed?.day ?? null,
      reversalReason: reversed?.reason ?? null,
    })),
  });
}

const sorts = {
  number: 'r.number',
  issueDate: 'r.issue_date',
  createdOn: 'r.created_on',
  updatedOn: 'r.updated_on',
};

export class InvoicesQuery extends ListQuery {
  @IdsFilter('invoice')
  declare ids?: string[];

  @IdFilter('client', 'Only invoices to this client.')
  clientId?: string;

  @IdFilter('matter', 'Only invoices on this matter.')
  matterId?: string;

  @WholeNumberFilter('0 Draft, 1 Issued, 2 PartPaid, 3 Paid, 4 Voided, 5 WrittenOff.', { min: 0, max: 5 })
  state?: number;

  @InstantFilter('Only invoices with an issue date on this day or later.')
  issueDateFrom?: string;

  @InstantFilter('Only invoices with an issue date on this day or earlier.')
  issueDateTo?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const invoices: RecordList<InvoicesQuery, InvoiceView> = {
  kind: 'invoice',
  projection: 'invoices',
  joins: [
    {
      projection: 'matters',
      alias: 'm',
      on: 'r.matter_id',
      columns: { matter_number: 'matter_number', matter_title: 'title' },
    },
    { projection: 'clients', alias: 'c', on: 'r.client_id', columns: { client_number: 'client_number' } },
    { projection: 'people', alias: 'p', on: 'c.entity_id', columns: { client_sort_name: 'sort_name' } },
  ],
  sorts,
  order: '-createdOn',
  times: { issueDateFrom: 'day', issueDateTo: 'day' },
  searched: ['r', 'p'],
  filter({ clientId, matterId, state, issueDateFrom, issueDateTo }, where) {
    if (clientId) where('r.client_id', '=', toUuid(clientId));
    if (matterId) where('r.matter_id', '=', toUuid(matterId));
    if (state !== undefined) where('r.invoice_state', '=', state);
    if (issueDateFrom) where('r.issue_date', '>=', issueDateFrom);
    if (issueDateTo) where('r.issue_date', '<=', issueDateTo);
  },
  view: (row) =>
    Object.assign(invoiceView(foldedRow(invoices, row)), {
      matterNumber: row.matter_number as string | null,
      matterTitle: row.matter_title as string | null,
      clientNumber: row.client_number as string | null,
      clientSortName: row.client_sort_name as string | null,
    }),
};
