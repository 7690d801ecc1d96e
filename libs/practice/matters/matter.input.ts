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

const FEES = { description: "The fees that were estimated, in the tenant's base currency." };
const DISBURSEMENTS = {
  description: "The disbursements that were estimated, in the tenant's base currency.",
};

export class MatterInput extends RecordInput {
  @IdField('client', { required: true, description: 'An active client.' })
  clientId: string;

  @IdField('division', { required: true, description: 'An active division of the tenant.' })
  divisionId: string;

  @TextField({ required: true, max: 500, example: 'Purchase of 12 Mill Lane' })
  title: string;

  @CodeField({
    max: 50,
    description:
      "Must be unique. Default: the tenant's next number. A larger whole number that is given moves the tenant's numbers on: the next one follows it.",
  })
  matterNumber?: string | null;

  @IdField('mattertype')
  matterTypeId?: string | null;

  @IdField('employee', { description: 'The employee who is responsible for the matter.' })
  responsiblePersonId?: string | null;

  @IdField('employee', { description: 'The employee who does the work.' })
  actingPersonId?: string | null;

  @IdField('employee', { description: 'The employee who assists.' })
  assistingPersonId?: string | null;

  @IdField('entity', { description: 'The person or organisation who brought the matter to the firm.' })
  introducerId?: string | null;

  @IdField('entity', { description: 'The person or organisation to write to about bills.' })
  billingContactId?: string | null;

  @CurrencyField({ description: "Default: the tenant's base currency." })
  currency?: string | null;

  @ObjectField(() => MoneyInput, FEES)
  feeEstimate?: MoneyInput | null;

  @ObjectField(() => MoneyInput, DISBURSEMENTS)
  disbursementEstimate?: MoneyInput | null;

  @IdField('rateset', { description: "The matter's own rate set." })
  rateSetId?: string | null;

  @IdField('taxcode', {
    description:
      "The tax code of the matter's invoice lines, unless the line or its cost recovery has another.",
  })
  taxCodeId?: string | null;

  @NumberField({
    min: 0.0001,
    max: 60,
    decimals: 4,
    description: 'The length of a unit, in minutes. Default: that of the client, or else that of the tenant.',
  })
  minutesPerUnit?: number | null;

  @InstantField({ description: 'When the matter was opened. Default: the time of the request.' })
  dateOpened?: string | null;
}

export class MatterPatch extends PartialType(OmitType(MatterInput, ['feeEstimate', 'disbursementEstimate']), {
  skipNullProperties: false,
}) {
  @ObjectField(() => MoneyPatch, FEES)
  feeEstimate?: MoneyPatch | null;

  @ObjectField(() => MoneyPatch, DISBURSEMENTS)
  disbursementEstimate?: MoneyPatch | null;
}
