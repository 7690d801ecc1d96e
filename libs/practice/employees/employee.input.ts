import { OmitType, PartialType } from '@nestjs/swagger';
import { FlagField, IdField, ObjectField, RateInput, TextField } from '#platform/http/input/fields';
import { RatePatch } from '../records/merge-patch';
import { RecordInput } from '../records/record';

const DEFAULT_RATE = { description: "For an hour, in the tenant's base currency." };

export class EmployeeInput extends RecordInput {
  @IdField('entity', { required: true, description: 'Never changes; an entity is one employee at most.' })
  entityId: string;

  @TextField({
    max: 20,
    example: 'AO',
    description:
      'TIMEKEEPER_ID of LEDES files; that of an invoice which charges work of two with the same is refused, 409 `ledes_timekeepers_alike`.',
  })
  initials?: string | null;

  @IdField('division', { description: 'An active division.' })
  divisionId?: string | null;

  @TextField({ max: 100, example: 'Associate' })
  jobTitle?: string | null;

  @TextField({ max: 50, example: 'B' })
  billingGrade?: string | null;

  @FlagField({ description: 'true when absent or null' })
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
