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
  const description =
    'What the rate is agreed for: an open matter, or an active client, which means all of its matters. Cannot be ' +
    'changed later.';
  const example = 'matter_0198c2f1a4b87c3d9e5f60718293a4b5';
  const api = { type: String, pattern: '^(matter|client)_[0-9a-f]{32}$' };
  return field({ required: true, description, example }, api, check);
}

const RATE = { required: true, description: "The rate, in the tenant's base currency." };

export class ApplicableRateInput extends RecordInput {
  @ChoiceField(scopes, {
    required: true,
    description: 'Whether the rate is agreed for a matter or for a client. Cannot be changed later.',
  })
  scope: Scope;

  @ScopeIdField()
  scopeId: string;

  @ObjectField(() => RateInput, RATE)
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

  @IdField('tasktype', { description: 'An active task type. The rate is only for work of this type.' })
  taskTypeId?: string | null;

  @DayField({ required: true, description: 'The first entry date that the rate is for.' })
  effectiveFrom: string;

  @DayField({
    description: 'The last entry date that the rate is for. Default: until further notice.',
  })
  effectiveTo?: string | null;
}

/** The fields of a patch, before `PartialType` makes them optional. */
class ApplicableRateChange extends OmitType(ApplicableRateInput, ['rate']) {
  @ObjectField(() => RatePatch, RATE)
  rate: RatePatch;
}

export class ApplicableRatePatch extends PartialType(ApplicableRateChange, { skipNullProperties: false }) {}
