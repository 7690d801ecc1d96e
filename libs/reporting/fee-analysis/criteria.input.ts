import { Field, InputType } from '@nestjs/graphql';
import { relativePeriods } from '#kernel/periods';
import { DatePeriodInput } from '../criteria/period.input';
import { DateScalar } from '../graphql/scalars';

@InputType({ description: 'Which facts the report is over. Null restricts nothing.' })
export class FeeAnalysisFactCriteriaInput {
  @Field(() => DatePeriodInput, { nullable: true, description: 'Wins over relativePeriod.' })
  period?: DatePeriodInput | null;

  @Field(() => DateScalar, {
    nullable: true,
    description: 'The day that relativePeriod is relative to; null is today.',
  })
  periodRelativeTo?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `In the tenant's time zone, weeks from Monday: ${relativePeriods.join(', ')}.`,
  })
  relativePeriod?: string | null;

  @Field(() => String, { nullable: true, description: 'Prefixed id, `employee_…`.' })
  feeEarnerId?: string | null;

  @Field(() => String, { nullable: true, description: 'Prefixed id, `matter_…`.' })
  matterId?: string | null;

  @Field(() => String, { nullable: true, description: "Prefixed id of the matter's client, `client_…`." })
  clientId?: string | null;

  @Field(() => String, { nullable: true, description: "Prefixed id of the matter's division, `division_…`." })
  divisionId?: string | null;
}
