import { PartialType } from '@nestjs/swagger';
import {
  ChoiceField,
  CurrencyField,
  FlagField,
  IdField,
  NumberField,
  ObjectField,
  RateInput,
  TextField,
} from '#platform/http/input/fields';
import { ObjectsField } from '#platform/http/input/list-fields';
import { DayField } from '#platform/http/input/time-fields';
import { RecordInput } from '../records/record';
import { type Per, pers } from './rate-set.events';

export class RateEntryInput {
  @ObjectField(() => RateInput, { required: true, description: "In the set's currency." })
  rate: RateInput;

  @ChoiceField(pers, { description: 'Hour: timed work; Unit: itemised work. Hour when absent.' })
  per?: Per | null;

  @IdField('employee', { description: 'Only work of this employee; active.' })
  employeeId?: string | null;

  @TextField({ max: 50, notBlank: true, description: 'Only of employees of this grade.', example: 'B' })
  billingGrade?: string | null;

  @TextField({ max: 100, notBlank: true, description: 'Only of employees with this title.' })
  jobTitle?: string | null;

  @IdField('tasktype', { description: 'Only work of this type; active.' })
  taskTypeId?: string | null;

  @IdField('mattertype', { description: 'Only work on matters of this type; active.' })
  matterTypeId?: string | null;
}

export class RateSetInput extends RecordInput {
  @TextField({ required: true, example: 'Standard rates 2025' })
  name: string;

  @CurrencyField({ required: true, description: "The tenant's base currency." })
  currency: string;

  @FlagField({ description: 'Makes this the default of the firm; the present one ceases to be it.' })
  isDefault?: boolean | null;

  @DayField({ description: 'First entry date that it is for; none: all before `to`.' })
  from?: string | null;

  @DayField({ description: 'Last entry date that it is for; none: until further notice.' })
  to?: string | null;

  @ObjectsField(() => RateEntryInput, {
    max: 1000,
    description:
      'Work takes the entry that names most of what it is; of those that name as many, the one that names the ' +
      'employee, else the task type, the billing grade, the job title, the matter type. No two may be for the same ' +
      'work. All entries together are at most 256 KiB.',
  })
  entries?: RateEntryInput[] | null;
}

export class RateSetPatch extends PartialType(RateSetInput, { skipNullProperties: false }) {}

export class RateSetCopyInput {
  @TextField({ required: true, example: 'Standard rates 2026' })
  name: string;

  @DayField({ description: 'First entry date that the copy is for; none: all before `to`.' })
  from?: string | null;

  @DayField({ description: 'Last entry date that the copy is for; none: until further notice.' })
  to?: string | null;

  @NumberField({
    min: -100,
    max: 1000,
    decimals: 4,
    example: 5,
    description:
      "How much higher the copy's rates are, in percent; lower when negative. Rates are then rounded half-up to the " +
      "currency's minor unit. Absent or 0: as they are. 422 `rate_too_large` when one comes to more than 99,999.",
  })
  percent?: number | null;
}
