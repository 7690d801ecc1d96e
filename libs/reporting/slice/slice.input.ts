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
    description: 'sum, avg, min, max, count or countDistinct; counts in group rows and totals only.',
  })
  aggFunc?: string | null;
}

@InputType({ description: 'One key of the order. Nulls are lowest.' })
export class SortInput {
  @Field(() => String)
  colId!: string;

  @Field(() => Boolean, { nullable: true })
  desc?: boolean | null;
}

@InputType({
  description: 'Which part of the report, at which level, to return: columns, groups, pivots, order, page.',
})
export class AggregationSliceSpecInput {
  @Field(() => [AggregatedColumnInput], { nullable: true, description: 'Columns of each row.' })
  cols?: AggregatedColumnInput[] | null;

  @Field(() => Int, { nullable: true, description: 'First row, from 0. Default 0.' })
  startRow?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Row after the last one. Default startRow + 100; at most startRow + 10,000.',
  })
  endRow?: number | null;

  @Field(() => [SortInput], {
    nullable: true,
    description: 'Leaf rows: any columns. Group rows: group columns, aggregated columns, pivot fields.',
  })
  sortBy?: SortInput[] | null;

  @Field(() => [ColumnInput], { nullable: true, description: 'Columns to group by, outermost first.' })
  rowGroups?: ColumnInput[] | null;

  @Field(() => [GroupKey], {
    nullable: 'itemsAndList',
    description:
      'Values of the first of the rowGroups: the rows are those one level below. As many as rowGroups: leaf rows.',
  })
  groupKeys?: (string | number | boolean | null)[] | null;

  @Field(() => [ColumnInput], {
    nullable: true,
    description:
      'Columns whose values become fields of group rows and totals: the values joined by `_`, then `_` and the colId.',
  })
  pivots?: ColumnInput[] | null;

  @Field(() => Boolean, { nullable: true, description: 'One row: the aggregated columns over everything.' })
  totalsOnly?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Drop rows whose filterZeroField, or without one all of whose measures, are 0 or null.',
  })
  filterZero?: boolean | null;

  @Field(() => String, { nullable: true })
  filterZeroField?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'At leaf level: one row for each tuple of the columns without aggFunc, the others aggregated.',
  })
  groupLeafLevel?: boolean | null;
}
