import { Args, Context, Info, Query, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import type { Given } from '../criteria/criteria';
import type { ReportContext } from '../graphql/report-context';
import { WorkItemRow } from '../graphql/scalars';
import { Reports } from '../reports';
import { AggregationSliceSpecInput } from '../slice/slice.input';
import { workItemReport } from './columns';
import { workItemConditions } from './criteria';
import { WorkItemCriteriaInput } from './criteria.input';

@Resolver()
export class WorkItemsResolver {
  constructor(private readonly reports: Reports) {}

  // The arguments' types are unions, which keeps the validation pipe from treating them as DTOs.
  @Query(() => [WorkItemRow], {
    name: 'work_item_listing',
    nullable: true,
    description:
      'Work items, that is recorded time and fees. A row is one work item, or a group of work items.',
  })
  rows(
    @Args('criteria', { type: () => WorkItemCriteriaInput, nullable: true })
    criteria: Given<Readonly<WorkItemCriteriaInput>>,
    @Args('slice', { type: () => AggregationSliceSpecInput, nullable: true })
    slice: Given<Readonly<AggregationSliceSpecInput>>,
    @Context() context: ReportContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<unknown[]> {
    return this.reports.run({
      report: workItemReport,
      over: (calendar) => workItemConditions(criteria, calendar),
      slice,
      context,
      field: String(info.path.key),
    });
  }
}
