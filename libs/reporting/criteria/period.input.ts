import { Field, InputType } from '@nestjs/graphql';
import { DateScalar } from '../graphql/scalars';

@InputType({
  description:
    "A period of days in the tenant's time zone, with its first and its last day. Null leaves that side open.",
})
export class DatePeriodInput {
  @Field(() => DateScalar, { nullable: true })
  min?: string | null;

  @Field(() => DateScalar, { nullable: true })
  max?: string | null;
}
