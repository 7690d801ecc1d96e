import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { ChoiceFilter, IdFilter, IdsFilter, ListQuery, SortFilter } from '#platform/http/input/list-query';
import { nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import { type EntityState, fullName, sortName } from './entity';
import { type Address, type EntityType, entityTypes } from './entity.events';

export class AddressView implements Address {
  @ApiProperty(nullableText) street: string | null;
  @ApiProperty(nullableText) city: string | null;
  @ApiProperty({ ...nullableText, description: 'County or state.' })
  region: string | null;
  @ApiProperty(nullableText) postcode: string | null;
  @ApiProperty(nullableText) country: string | null;
}

export class EntityView extends RecordView {
  @ApiProperty({ enum: entityTypes, description: 'Individual: a person.' }) entityType: EntityType;
  @ApiProperty({ description: '`Family, Given`, or the name of the organisation' }) sortName: string;
  @ApiProperty({ description: '`Given Family`, or the name of the organisation.' })
  fullName: string;
  @ApiProperty({ ...nullableText, description: 'Null for an Organisation.' })
  lastName: string | null;
  @ApiProperty({ ...nullableText, description: 'Null for an Organisation.' })
  firstName: string | null;
  @ApiProperty({ ...nullableText, description: 'The form of address, such as Dr.' })
  title: string | null;
  @ApiProperty({ ...nullableText, description: 'The name of an Organisation; null for an Individual.' })
  name: string | null;
  @ApiProperty({ description: 'The currency of the entity (ISO 4217).' })
  currency: string;
  @ApiProperty(nullableText) email: string | null;
  @ApiProperty({ type: [String], description: 'The telephone numbers, as they were given.' })
  phones: string[];
  @ApiProperty({ type: [AddressView], description: 'The postal addresses. Lists show the first one.' })
  addresses: AddressView[];
  @ApiProperty({ ...nullableText, description: 'The number in the register of companies.' })
  registrationNumber: string | null;
  @ApiProperty({ ...nullableText, description: 'The number with the tax office.' })
  taxNumber: string | null;
  @ApiProperty({
    type: [String],
    description: 'The custom roles of the entity. `GET /entities/{id}/roles` lists its system roles too.',
  })
  roleIds: string[];
  @ApiProperty({ ...nullableText, format: 'date-time', description: 'When the personal data was erased' })
  anonymisedOn: string | null;
}

export function entityView(folded: Folded<EntityState>): EntityView {
  const { data } = folded;
  const isIndividual = data.entityType === 'Individual';
  return Object.assign(recordView(folded), {
    entityType: data.entityType,
    sortName: sortName(data),
    fullName: fullName(data),
    // After an erasure both fields contain the same text. Each type of entity shows only its own field.
    lastName: isIndividual ? data.lastName : null,
    firstName: data.firstName,
    title: data.title,
    name: isIndividual ? null : data.name,
    currency: data.currency,
    email: data.email,
    phones: data.phones,
    addresses: data.addresses,
    registrationNumber: data.registrationNumber,
    taxNumber: data.taxNumber,
    roleIds: data.roleIds,
    anonymisedOn: data.anonymisedOn,
  });
}

const sorts = { sortName: 'r.sort_name', createdOn: 'r.created_on', updatedOn: 'r.updated_on' };

export class EntitiesQuery extends ListQuery {
  @IdsFilter('entity')
  declare ids?: string[];

  @ChoiceFilter('Only entities of this type.', entityTypes)
  entityType?: EntityType;

  @IdFilter('role', 'Only entities that have this role, a system or a custom one.')
  roleId?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const entities: RecordList<EntitiesQuery, EntityView> = {
  kind: 'entity',
  projection: 'people',
  sorts,
  order: 'sortName',
  filter({ entityType }, where) {
    if (entityType !== undefined) where('r.entity_type', '=', entityType);
  },
  view: (row) => entityView(foldedRow(entities, row)),
};
