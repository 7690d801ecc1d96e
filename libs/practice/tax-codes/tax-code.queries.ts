import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { ChoiceFilter, IdsFilter, ListQuery, SortFilter } from '#platform/http/input/list-query';
import { nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { TaxCodeState } from './tax-code';
import { type TaxCategory, type TaxScheme, taxCategories, taxSchemes } from './tax-code.events';

export class TaxRateView {
  @ApiProperty({ example: 20, description: 'The rate, in percent of the net amount.' }) percent: number;
  @ApiProperty({ format: 'date', example: '2011-01-04', description: 'The first day of the rate' })
  from: string;
  @ApiProperty({
    ...nullableText,
    format: 'date',
    description: 'The last day of the rate; null: until further notice',
  })
  to: string | null;
  @ApiProperty({
    description: 'Whether an invoice has used the rate. If so, only its last day can be changed.',
  })
  isUsed: boolean;
}

export class TaxCodeView extends RecordView {
  @ApiProperty({ example: 'STD' }) code: string;
  @ApiProperty({ example: 'Standard rate' }) name: string;
  @ApiProperty({ enum: taxSchemes, description: 'The tax that the code is for.' }) scheme: string;
  @ApiProperty({ enum: taxCategories, description: 'Zero, Exempt and OutOfScope all bear no tax.' })
  category: string;
  @ApiProperty({
    type: [TaxRateView],
    description: 'The rates, the oldest first; none for Zero, Exempt and OutOfScope',
  })
  rates: TaxRateView[];
  @ApiProperty({
    description:
      'Whether an invoice has used the tax code. If so, its scheme and category cannot be changed.',
  })
  isUsed: boolean;
}

export function taxCodeView(folded: Folded<TaxCodeState>): TaxCodeView {
  const { code, name, scheme, category, rates, used } = folded.data;
  return Object.assign(recordView(folded), {
    code,
    name,
    scheme,
    category,
    rates: rates.map(({ percent, from, to }) => ({
      percent: Number(percent),
      from,
      to,
      isUsed: used?.includes(from) ?? false,
    })),
    isUsed: used !== undefined,
  });
}

const sorts = { code: 'r.code', name: 'r.name', createdOn: 'r.created_on', updatedOn: 'r.updated_on' };

export class TaxCodesQuery extends ListQuery {
  @IdsFilter('taxcode')
  declare ids?: string[];

  @ChoiceFilter('Only codes of this scheme.', taxSchemes)
  scheme?: TaxScheme;

  @ChoiceFilter('Only codes of this category.', taxCategories)
  category?: TaxCategory;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const taxCodes: RecordList<TaxCodesQuery, TaxCodeView> = {
  kind: 'taxcode',
  projection: 'tax-codes',
  sorts,
  order: 'code',
  filter({ scheme, category }, where) {
    if (scheme !== undefined) where('r.scheme', '=', scheme);
    if (category !== undefined) where('r.category', '=', category);
  },
  view: (row) => taxCodeView(foldedRow(taxCodes, row)),
};
