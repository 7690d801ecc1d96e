import { PartialType } from '@nestjs/swagger';
import { CodeField } from '#platform/http/input/code-field';
import { IdField, NumberField } from '#platform/http/input/fields';
import { RecordInput } from '../records/record';

export class ClientInput extends RecordInput {
  @IdField('entity', { required: true, description: 'Never changes; an entity is one client at most.' })
  entityId: string;

  @CodeField({ max: 50, description: 'The next number of the tenant when absent.' })
  clientNumber?: string | null;

  @IdField('rateset')
  defaultRateSetId?: string | null;

  @IdField('taxcode')
  taxCodeId?: string | null;

  @IdField('entity')
  billingContactId?: string | null;

  @NumberField({ max: 365, description: '30 applies when null.' })
  paymentTermsDays?: number | null;

  @NumberField({ min: 0.0001, max: 60, decimals: 4, description: "The tenant's when null." })
  minutesPerUnit?: number | null;
}

export class ClientPatch extends PartialType(ClientInput, { skipNullProperties: false }) {}
