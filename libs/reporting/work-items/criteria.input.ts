import { Field, InputType } from '@nestjs/graphql';
import { relativePeriods } from '#kernel/periods';
import { DatePeriodInput } from '../criteria/period.input';
import { workItemStates, workItemTypes } from './columns';

@InputType({ description: 'A fixed or a relative period; the fixed one wins.' })
export class EntryPeriodInput {
  @Field(() => DatePeriodInput, { nullable: true })
  fixedPeriod?: DatePeriodInput | null;

  @Field(() => String, {
    nullable: true,
    description: `In the tenant's time zone, weeks from Monday: ${relativePeriods.join(', ')}.`,
  })
  relativePeriod?: string | null;
}

@InputType({ description: 'Which work items the report is over. Null and an empty list restrict nothing.' })
export class WorkItemCriteriaInput {
  @Field(() => EntryPeriodInput, { nullable: true })
  entryPeriod?: EntryPeriodInput | null;

  @Field(() => Boolean, { nullable: true, description: 'Deleted items too. Default false.' })
  includeDeleted?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'True: only items on no matter.' })
  noMatter?: boolean | null;

  @Field(() => [String], { nullable: true, description: `Of ${workItemTypes.join(', ')}.` })
  workItemTypes?: string[] | null;

  @Field(() => [String], { nullable: true, description: `Of ${workItemStates.join(', ')}.` })
  states?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Prefixed ids, `matter_…`.' })
  matterIds?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Prefixed ids of the matters' clients, `client_…`." })
  clientIds?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Prefixed ids, `employee_…`.' })
  employeeIds?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "Prefixed ids of the matters' divisions, `division_…`.",
  })
  divisionIds?: string[] | null;
}
