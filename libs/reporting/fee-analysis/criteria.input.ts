import { Field, InputType } from '@nestjs/graphql';
import { relativePeriods } from '#kernel/periods';
import { DatePeriodInput } from '../criteria/period.input';
import { DateScalar } from '../graphql/scalars';

@InputType({ description: 'Which movements the report covers. A field that is null restricts nothing.' })
export class FeeAnalysisFactCriteriaInput {
  @Field(() => DatePeriodInput, {
    nullable: true,
    description: 'A fixed period. If relativePeriod is given too, this one is used.',
  })
  period?: DatePeriodInput | null;

  @Field(() => DateScalar, {
    nullable: true,
    description: 'The day that relativePeriod is relative to; null is today.',
  })
  periodRelativeTo?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `A period in the tenant's time zone, with weeks from Monday. One of ${relativePeriods.join(', ')}.`,
  })
  relativePeriod?: string | null;

  @Field(() => String, { nullable: true, description: 'Prefixed id of the fee earner, `employee_…`.' })
  feeEarnerId?: string | null;

  @Field(() => String, { nullable: true, description: 'Prefixed id of the matter, `matter_…`.' })
  matterId?: string | null;

  @Field(() => String, { nullable: true, description: "Prefixed id of the matter's client, `client_…`." })
  clientId?: string | null;

  @Field(() => String, { nullable: true, description: "Prefixed id of the matter's division, `division_…`." })
  divisionId?: string | null;
}
