import { Field, InputType } from '@nestjs/graphql';
import { relativePeriods } from '#kernel/periods';
import { DatePeriodInput } from '../criteria/period.input';
import { workItemStates, workItemTypes } from './columns';

@InputType({ description: 'A fixed or a relative period. If both are given, the fixed one is used.' })
export class EntryPeriodInput {
  @Field(() => DatePeriodInput, { nullable: true })
  fixedPeriod?: DatePeriodInput | null;

  @Field(() => String, {
    nullable: true,
    description: `A period in the tenant's time zone, with weeks from Monday. One of ${relativePeriods.join(', ')}.`,
  })
  relativePeriod?: string | null;
}

@InputType({
  description: 'Which work items the report covers. A field that is null or an empty list restricts nothing.',
})
export class WorkItemCriteriaInput {
  @Field(() => EntryPeriodInput, { nullable: true })
  entryPeriod?: EntryPeriodInput | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether deleted items are included. Default false.' })
  includeDeleted?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether to return only items on no matter.' })
  noMatter?: boolean | null;

  @Field(() => [String], { nullable: true, description: `Any of ${workItemTypes.join(', ')}.` })
  workItemTypes?: string[] | null;

  @Field(() => [String], { nullable: true, description: `Any of ${workItemStates.join(', ')}.` })
  states?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Prefixed ids of the matters, `matter_…`.' })
  matterIds?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Prefixed ids of the matters' clients, `client_…`." })
  clientIds?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Prefixed ids of the employees, `employee_…`.' })
  employeeIds?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "Prefixed ids of the matters' divisions, `division_…`.",
  })
  divisionIds?: string[] | null;
}
