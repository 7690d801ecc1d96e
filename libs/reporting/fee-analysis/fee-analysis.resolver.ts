import { Args, Context, Info, Query, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import type { Given } from '../criteria/criteria';
import type { ReportContext } from '../graphql/report-context';
import { FeeAnalysisRow } from '../graphql/scalars';
import { Reports } from '../reports';
import { AggregationSliceSpecInput } from '../slice/slice.input';
import { feeAnalysisReport } from './columns';
import { feeAnalysisConditions } from './criteria';
import { FeeAnalysisFactCriteriaInput } from './criteria.input';

@Resolver()
export class FeeAnalysisResolver {
  constructor(private readonly reports: Reports) {}

  // The arguments' types are unions, which keeps the validation pipe from treating them as DTOs.
  @Query(() => [FeeAnalysisRow], {
    name: 'fee_analysis',
    nullable: true,
    description:
      'What was finalised, billed, written off and written up. A row is one movement, or a group of movements.',
  })
  rows(
    @Args('criteria', { type: () => FeeAnalysisFactCriteriaInput, nullable: true })
    criteria: Given<Readonly<FeeAnalysisFactCriteriaInput>>,
    @Args('slice', { type: () => AggregationSliceSpecInput, nullable: true })
    slice: Given<Readonly<AggregationSliceSpecInput>>,
    @Context() context: ReportContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<unknown[]> {
    return this.reports.run({
      report: feeAnalysisReport,
      over: (calendar) => feeAnalysisConditions(criteria, calendar),
      slice,
      context,
      field: String(info.path.key),
    });
  }
}
