import { OmitType, PartialType } from '@nestjs/swagger';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { isId, type Kind } from '#kernel/ids';
import { ChoiceField, field, IdField, ObjectField, RateInput, TextField } from '#platform/http/input/fields';
import { DayField } from '#platform/http/input/time-fields';
import { type Per, pers } from '../rate-sets/rate-set.events';
import { RatePatch } from '../records/merge-patch';
import { RecordInput } from '../records/record';
import { type Scope, scopes } from './applicable-rate.events';

/** A field for the id of a matter or of a client, depending on the scope. */
function ScopeIdField(): PropertyDecorator {
  const kindsOf = ({ object }: ValidationArguments): Kind[] => {
    const { scope } = object as { scope?: unknown };
    if (scope === 'Matter') return ['matter'];
    return scope === 'Client' ? ['client'] : ['matter', 'client'];
  };
  const check = ValidateBy({
    name: 'isIdOf',
    validator: {
      validate: (value, args) => kindsOf(args!).some((kind) => isId(kind, value)),
      defaultMessage: (args) => `scopeId must be an id of the kind ${kindsOf(args!).join(' or ')}`,
    },
  });
  const description = 'An open matter, or an active client for all of its matters. Never changes.';
  const example = 'matter_0198c2f1a4b87c3d9e5f60718293a4b5';
  const api = { type: String, pattern: '^(matter|client)_[0-9a-f]{32}$' };
  return field({ required: true, description, example }, api, check);
}

const RATE = { required: true, description: "In the tenant's base currency." };

export class ApplicableRateInput extends RecordInput {
  @ChoiceField(scopes, { required: true, description: 'Never changes.' })
  scope: Scope;

  @ScopeIdField()
  scopeId: string;

  @ObjectField(() => RateInput, RATE)
  rate: RateInput;

  @ChoiceField(pers, { description: 'Hour: timed work; Unit: itemised work. Hour when absent or null.' })
  per?: Per | null;

  @IdField('employee', { description: 'Only work of this employee; active.' })
  employeeId?: string | null;

  @TextField({ max: 50, notBlank: true, description: 'Only of employees of this grade.', example: 'B' })
  billingGrade?: string | null;

  @IdField('tasktype', { description: 'Only work of this type; active.' })
  taskTypeId?: string | null;

  @DayField({ required: true, description: 'First entry date that it is for.' })
  effectiveFrom: string;

  @DayField({ description: 'Last entry date that it is for; none: until further notice.' })
  effectiveTo?: string | null;
}

/** The fields of a patch, before `PartialType` makes them optional. */
class ApplicableRateChange extends OmitType(ApplicableRateInput, ['rate']) {
  @ObjectField(() => RatePatch, RATE)
  rate: RatePatch;
}

export class ApplicableRatePatch extends PartialType(ApplicableRateChange, { skipNullProperties: false }) {}
