import { PartialType } from '@nestjs/swagger';
import { FlagField, IdField, ObjectField, RateInput, TextField } from '#platform/http/fields';
import { RecordInput } from '../records/record';

export class EmployeeInput extends RecordInput {
  @IdField('entity', { required: true, description: 'Never changes; an entity is one employee at most.' })
  entityId: string;

  @TextField({ max: 20, example: 'AO' })
  initials?: string | null;

  @IdField('division', { description: 'An active division.' })
  divisionId?: string | null;

  @TextField({ max: 100, example: 'Associate' })
  jobTitle?: string | null;

  @TextField({ max: 50, example: 'B' })
  billingGrade?: string | null;

  @FlagField({ description: 'true when absent or null' })
  isFeeEarner?: boolean | null;

  @ObjectField(() => RateInput, { description: "For an hour, in the tenant's base currency." })
  defaultRate?: RateInput | null;
}

export class EmployeePatch extends PartialType(EmployeeInput, { skipNullProperties: false }) {}
