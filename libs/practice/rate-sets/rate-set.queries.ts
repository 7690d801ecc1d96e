import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { type MoneyRecord, moneyRecord } from '#kernel/money';
import { FlagFilter, IdsFilter, ListQuery, SortFilter } from '#platform/http/input/list-query';
import { MoneyView, nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { RateSetState } from './rate-set';
import { type Per, pers } from './rate-set.events';

export class RateEntryView {
  @ApiProperty({ type: MoneyView, description: 'The rate, in the currency of the rate set.' })
  rate: MoneyRecord;
  @ApiProperty({
    enum: pers,
    description: 'Hour: the rate for one hour of timed work. Unit: the rate for one unit of itemised work.',
  })
  per: Per;
  @ApiProperty({ ...nullableText, description: 'The employee whose work the rate is for; null: any.' })
  employeeId: string | null;
  @ApiProperty({
    ...nullableText,
    description: 'The billing grade of the employees whose work the rate is for; null: any.',
  })
  billingGrade: string | null;
  @ApiProperty({
    ...nullableText,
    description: 'The job title of the employees whose work the rate is for; null: any.',
  })
  jobTitle: string | null;
  @ApiProperty({ ...nullableText, description: 'The task type of the work that the rate is for; null: any.' })
  taskTypeId: string | null;
  @ApiProperty({ ...nullableText, description: 'The type of the matters that the rate is for; null: any.' })
  matterTypeId: string | null;
}

export class RateSetView extends RecordView {
  @ApiProperty() name: string;
  @ApiProperty({ example: 'GBP', description: 'The currency of all rates (ISO 4217).' }) currency: string;
  @ApiProperty({ description: "Whether this is the firm's default rate set" }) isDefault: boolean;
  @ApiProperty({
    ...nullableText,
    format: 'date',
    description: 'The first entry date that the rate set is for; null: no limit',
  })
  from: string | null;
  @ApiProperty({
    ...nullableText,
    format: 'date',
    description: 'The last entry date that the rate set is for; null: until further notice',
  })
  to: string | null;
  @ApiProperty({
    type: [RateEntryView],
    description:
      'The rates. Of several that are for a work item, the one that names most of its properties is used.',
  })
  entries: RateEntryView[];
}

export function rateSetView(folded: Folded<RateSetState>): RateSetView {
  const { name, currency, isDefault, from, to, entries } = folded.data;
  return Object.assign(recordView(folded), {
    name,
    currency,
    isDefault,
    from,
    to,
    entries: entries.map(({ rate, per, ...keys }) => ({
      rate: moneyRecord({ amount: rate, currency }),
      per,
      employeeId: keys.employeeId ?? null,
      billingGrade: keys.billingGrade ?? null,
      jobTitle: keys.jobTitle ?? null,
      taskTypeId: keys.taskTypeId ?? null,
      matterTypeId: keys.matterTypeId ?? null,
    })),
  });
}

const sorts = { name: 'r.name', from: 'r.from_day', createdOn: 'r.created_on', updatedOn: 'r.updated_on' };

export class RateSetsQuery extends ListQuery {
  @IdsFilter('rateset')
  declare ids?: string[];

  @FlagFilter("True: only the firm's default rate set. False: only the others.")
  isDefault?: boolean;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const rateSets: RecordList<RateSetsQuery, RateSetView> = {
  kind: 'rateset',
  projection: 'rate-sets',
  sorts,
  order: 'name',
  filter({ isDefault }, where) {
    if (isDefault !== undefined) where('r.is_default', '=', isDefault);
  },
  view: (row) => rateSetView(foldedRow(rateSets, row)),
};
