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
  @ObjectField(() => RateInput, { required: true, description: 'The rate, in the currency of the rate set.' })
  rate: RateInput;

  @ChoiceField(pers, {
    description:
      'Hour: the rate for one hour of timed work. Unit: the rate for one unit of itemised work. Default: Hour.',
  })
  per?: Per | null;

  @IdField('employee', { description: 'An active employee. The rate is only for work of this employee.' })
  employeeId?: string | null;

  @TextField({
    max: 50,
    notBlank: true,
    description: 'The rate is only for work of employees with this billing grade.',
    example: 'B',
  })
  billingGrade?: string | null;

  @TextField({
    max: 100,
    notBlank: true,
    description: 'The rate is only for work of employees with this job title.',
  })
  jobTitle?: string | null;

  @IdField('tasktype', { description: 'An active task type. The rate is only for work of this type.' })
  taskTypeId?: string | null;

  @IdField('mattertype', {
    description: 'An active matter type. The rate is only for work on matters of this type.',
  })
  matterTypeId?: string | null;
}

export class RateSetInput extends RecordInput {
  @TextField({ required: true, example: 'Standard rates 2025' })
  name: string;

  @CurrencyField({
    required: true,
    description: "The currency of all rates. It must be the tenant's base currency.",
  })
  currency: string;

  @FlagField({ description: "True makes this the firm's default rate set, in place of the present one." })
  isDefault?: boolean | null;

  @DayField({
    description: 'The first entry date that the rate set is for. Default: all entry dates up to `to`.',
  })
  from?: string | null;

  @DayField({
    description: 'The last entry date that the rate set is for. Default: until further notice.',
  })
  to?: string | null;

  @ObjectsField(() => RateEntryInput, {
    max: 1000,
    description:
      'An entry is for work that has all the properties that the entry names (employee, task type and so on). If ' +
      'several entries are for a work item, the one that names most properties is used. Among those that name equally ' +
      'many, it is the one that names the employee, else the task type, the billing grade, the job title, the matter ' +
      'type. No two entries may be for the same work. All entries together may be at most 256 KiB.',
  })
  entries?: RateEntryInput[] | null;
}

export class RateSetPatch extends PartialType(RateSetInput, { skipNullProperties: false }) {}

export class RateSetCopyInput {
  @TextField({ required: true, example: 'Standard rates 2026' })
  name: string;

  @DayField({
    description: 'The first entry date that the copy is for. Default: all entry dates up to `to`.',
  })
  from?: string | null;

  @DayField({
    description: 'The last entry date that the copy is for. Default: until further notice.',
  })
  to?: string | null;

  @NumberField({
    min: -100,
    max: 1000,
    decimals: 4,
    example: 5,
    description:
      'By how many percent the rates of the copy are higher; a negative number makes them lower. The new rates are ' +
      'rounded half-up to the minor unit of the currency. When absent or 0, the rates are copied as they are. Refused ' +
      'with 422 `rate_too_large` when a rate comes to more than 999,999,999.',
  })
  percent?: number | null;
}
