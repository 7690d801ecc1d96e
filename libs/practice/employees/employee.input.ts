import { OmitType, PartialType } from '@nestjs/swagger';
import { FlagField, IdField, ObjectField, RateInput, TextField } from '#platform/http/input/fields';
import { RatePatch } from '../records/merge-patch';
import { RecordInput } from '../records/record';

const DEFAULT_RATE = { description: "The rate for one hour, in the tenant's base currency." };

export class EmployeeInput extends RecordInput {
  @IdField('entity', {
    required: true,
    description:
      'The person who is the employee. It cannot be changed later. An entity can be only one employee.',
  })
  entityId: string;

  @TextField({
    max: 20,
    example: 'AO',
    description:
      'The initials of the employee. They are the TIMEKEEPER_ID in LEDES files. If an invoice charges work of two ' +
      'employees with the same initials, its LEDES file is refused with 409 `ledes_timekeepers_alike`.',
  })
  initials?: string | null;

  @IdField('division', { description: 'An active division.' })
  divisionId?: string | null;

  @TextField({ max: 100, example: 'Associate' })
  jobTitle?: string | null;

  @TextField({
    max: 50,
    example: 'B',
    description: 'The grade by which rate sets and agreed rates can name employees.',
  })
  billingGrade?: string | null;

  @FlagField({ description: 'Default: true.' })
  isFeeEarner?: boolean | null;

  @ObjectField(() => RateInput, DEFAULT_RATE)
  defaultRate?: RateInput | null;
}

export class EmployeePatch extends PartialType(OmitType(EmployeeInput, ['defaultRate']), {
  skipNullProperties: false,
}) {
  @ObjectField(() => RatePatch, DEFAULT_RATE)
  defaultRate?: RatePatch | null;
}
