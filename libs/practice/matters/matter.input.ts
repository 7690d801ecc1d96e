import { OmitType, PartialType } from '@nestjs/swagger';
import { CodeField } from '#platform/http/input/code-field';
import {
  CurrencyField,
  IdField,
  MoneyInput,
  NumberField,
  ObjectField,
  TextField,
} from '#platform/http/input/fields';
import { InstantField } from '#platform/http/input/time-fields';
import { MoneyPatch } from '../records/merge-patch';
import { RecordInput } from '../records/record';

export class MatterInput extends RecordInput {
  @IdField('client', { required: true, description: 'An active client.' })
  clientId: string;

  @IdField('division', { required: true, description: 'An active division of the tenant.' })
  divisionId: string;

  @TextField({ required: true, max: 500, example: 'Purchase of 12 Mill Lane' })
  title: string;

  @CodeField({ max: 50, description: "Must be unique. When absent, it is the tenant's next number." })
  matterNumber?: string | null;

  @IdField('mattertype')
  matterTypeId?: string | null;

  @IdField('employee')
  responsiblePersonId?: string | null;

  @IdField('employee')
  actingPersonId?: string | null;

  @IdField('employee')
  assistingPersonId?: string | null;

  @IdField('entity')
  introducerId?: string | null;

  @IdField('entity')
  billingContactId?: string | null;

  @CurrencyField({ description: "When absent, it is the tenant's base currency." })
  currency?: string | null;

  @ObjectField(() => MoneyInput)
  feeEstimate?: MoneyInput | null;

  @ObjectField(() => MoneyInput)
  disbursementEstimate?: MoneyInput | null;

  @IdField('rateset')
  rateSetId?: string | null;

  @IdField('taxcode')
  taxCodeId?: string | null;

  @NumberField({
    min: 0.0001,
    max: 60,
    decimals: 4,
    description:
      'The length of a unit, in minutes. When absent, that of the client applies, or else that of the tenant.',
  })
  minutesPerUnit?: number | null;

  @InstantField({ description: 'When the matter was opened. When absent, it is the time of the request.' })
  dateOpened?: string | null;
}

export class MatterPatch extends PartialType(OmitType(MatterInput, ['feeEstimate', 'disbursementEstimate']), {
  skipNullProperties: false,
}) {
  @ObjectField(() => MoneyPatch)
  feeEstimate?: MoneyPatch | null;

  @ObjectField(() => MoneyPatch)
  disbursementEstimate?: MoneyPatch | null;
}
