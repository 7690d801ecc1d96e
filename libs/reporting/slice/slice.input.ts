import { Field, InputType, Int } from '@nestjs/graphql';
import { GroupKey } from '../graphql/scalars';

@InputType({ description: 'A column of the report.' })
export class ColumnInput {
  @Field(() => String)
  colId!: string;
}

@InputType({ description: 'A column to return.' })
export class AggregatedColumnInput {
  @Field(() => String)
  colId!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'One of sum, avg, min, max, count, countDistinct. It is used in group rows, in totals and with groupLeafLevel, ' +
      'and ignored in other leaf rows.',
  })
  aggFunc?: string | null;
}

@InputType({ description: 'A column to sort by. Null is lower than any value.' })
export class SortInput {
  @Field(() => String)
  colId!: string;

  @Field(() => Boolean, { nullable: true })
  desc?: boolean | null;
}

@InputType({
  description: 'Which rows of the report to return: their columns, groups, pivots, order and page.',
})
export class AggregationSliceSpecInput {
  @Field(() => [AggregatedColumnInput], { nullable: true, description: 'Columns of each row.' })
  cols?: AggregatedColumnInput[] | null;

  @Field(() => Int, { nullable: true, description: 'The first row to return, counted from 0. Default 0.' })
  startRow?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The row after the last one to return. Default startRow + 100; at most startRow + 10,000.',
  })
  endRow?: number | null;

  @Field(() => [SortInput], {
    nullable: true,
    description:
      'Leaf rows can be sorted by any column; group rows by group columns, aggregated columns and pivot fields.',
  })
  sortBy?: SortInput[] | null;

  @Field(() => [ColumnInput], { nullable: true, description: 'Columns to group by, outermost first.' })
  rowGroups?: ColumnInput[] | null;

  @Field(() => [GroupKey], {
    nullable: 'itemsAndList',
    description:
      'Values of the first rowGroups, in their order. They select a group; the answer has the rows one level below it. ' +
      'With a value for each of the rowGroups, these are leaf rows.',
  })
  groupKeys?: (string | number | boolean | null)[] | null;

  @Field(() => [ColumnInput], {
    nullable: true,
    description:
      'Columns whose values become fields of group rows and totals. The name of such a field is the values joined by ' +
      '`_`, then `_` and the colId of the aggregated column.',
  })
  pivots?: ColumnInput[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether to return only one row, with the aggregated columns over all rows.',
  })
  totalsOnly?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to leave out rows in which filterZeroField is 0 or null. Without filterZeroField, rows are left out in ' +
      'which all measures are 0 or null; a count of them is no measure.',
  })
  filterZero?: boolean | null;

  @Field(() => String, { nullable: true })
  filterZeroField?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether leaf rows are grouped: one row for each combination of values of the columns without aggFunc, with the ' +
      'other columns aggregated.',
  })
  groupLeafLevel?: boolean | null;
}
