import { PartialType } from '@nestjs/swagger';
import { CodeField } from '#platform/http/input/code-field';
import { IdField, NumberField } from '#platform/http/input/fields';
import { RecordInput } from '../records/record';

export class ClientInput extends RecordInput {
  @IdField('entity', {
    required: true,
    description:
      'The person or organisation that is the client. It cannot be changed later. An entity can be only one client.',
  })
  entityId: string;

  @CodeField({
    max: 50,
    description:
      "Must be unique. Default: the tenant's next number. A larger whole number that is given moves the tenant's numbers on: the next one follows it.",
  })
  clientNumber?: string | null;

  @IdField('rateset', {
    description: "The rate set for work on the client's matters for which the matter's own has no rate.",
  })
  defaultRateSetId?: string | null;

  @IdField('taxcode', {
    description:
      "The tax code of the client's invoice lines, unless the line, its cost recovery or the matter has another.",
  })
  taxCodeId?: string | null;

  @IdField('entity', { description: 'The person or organisation to write to about bills.' })
  billingContactId?: string | null;

  @NumberField({
    max: 365,
    description: 'How many days the client has to pay an invoice. When null, 30 days apply.',
  })
  paymentTermsDays?: number | null;

  @NumberField({
    min: 0.0001,
    max: 60,
    decimals: 4,
    description: 'The length of a unit, in minutes. When null, that of the tenant applies.',
  })
  minutesPerUnit?: number | null;
}

export class ClientPatch extends PartialType(ClientInput, { skipNullProperties: false }) {}
