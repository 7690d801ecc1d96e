import { PartialType } from '@nestjs/swagger';
import { ChoiceField, CurrencyField, EmailField, TextField } from '#platform/http/input/fields';
import { ObjectsField, TextsField } from '#platform/http/input/list-fields';
import { RecordInput } from '../records/record';
import { type Address, type EntityType, entityTypes } from './entity.events';

export class AddressInput {
  @TextField({ example: '12 Mill Lane' })
  street?: string | null;

  @TextField({ max: 100, example: 'Leeds' })
  city?: string | null;

  @TextField({ max: 100, description: 'County or state' })
  region?: string | null;

  @TextField({ max: 20, example: 'LS1 4AP' })
  postcode?: string | null;

  @TextField({ max: 100 })
  country?: string | null;
}

export class EntityInput extends RecordInput {
  @ChoiceField(entityTypes, { required: true, description: 'Cannot be changed later.' })
  entityType: EntityType;

  @TextField({ max: 100, description: 'Required for an Individual.', example: 'Okafor' })
  lastName?: string | null;

  @TextField({ max: 100, example: 'Ada', description: 'Individuals only' })
  firstName?: string | null;

  @TextField({ max: 50, description: 'Individuals only', example: 'Dr' })
  title?: string | null;

  @TextField({ description: 'Required for an Organisation.' })
  name?: string | null;

  @CurrencyField({ description: "Default: the tenant's base currency." })
  currency?: string | null;

  @EmailField()
  email?: string | null;

  @TextsField({
    max: 10,
    maxLength: 50,
    example: ['+44 113 496 0000'],
    description: 'Telephone numbers, in any form.',
  })
  phones?: string[] | null;

  @ObjectsField(() => AddressInput, { max: 5, description: 'Postal addresses. Lists show the first one.' })
  addresses?: AddressInput[] | null;

  @TextField({ max: 50, description: 'The number in the register of companies.' })
  registrationNumber?: string | null;

  @TextField({ max: 50, description: 'The number with the tax office.' })
  taxNumber?: string | null;
}

export class EntityPatch extends PartialType(EntityInput, { skipNullProperties: false }) {}

export function addressFrom({ street, city, region, postcode, country }: AddressInput): Address {
  return {
    street: street ?? null,
    city: city ?? null,
    region: region ?? null,
    postcode: postcode ?? null,
    country: country ?? null,
  };
}
