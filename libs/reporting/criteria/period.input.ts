import { Field, InputType } from '@nestjs/graphql';
import { DateScalar } from '../graphql/scalars';

@InputType({ description: "Days in the tenant's time zone, both included; null is open on that side." })
export class DatePeriodInput {
  @Field(() => DateScalar, { nullable: true })
  min?: string | null;

  @Field(() => DateScalar, { nullable: true })
  max?: string | null;
}
