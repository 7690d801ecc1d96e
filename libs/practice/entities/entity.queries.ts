import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { ChoiceFilter, IdsFilter, ListQuery } from '#platform/http/list-query';
import { RecordView, recordView } from '../records/record';
import type { RecordList } from '../records/record-list';
import { foldedRow } from '../records/records.queries';
import { type EntityState, fullName, sortName } from './entity';
import { type Address, type EntityType, entityTypes } from './entity.events';

const text = { type: String, nullable: true } as const;

export class AddressView implements Address {
  @ApiProperty(text) street: string | null;
  @ApiProperty(text) city: string | null;
  @ApiProperty(text) region: string | null;
  @ApiProperty(text) postcode: string | null;
  @ApiProperty(text) country: string | null;
}

export class EntityView extends RecordView {
  @ApiProperty({ enum: entityTypes }) entityType: EntityType;
  @ApiProperty({ description: '`Family, Given`, or the name of the organisation' }) sortName: string;
  @ApiProperty() fullName: string;
  @ApiProperty(text) lastName: string | null;
  @ApiProperty(text) firstName: string | null;
  @ApiProperty(text) title: string | null;
  @ApiProperty(text) name: string | null;
  @ApiProperty() currency: string;
  @ApiProperty(text) email: string | null;
  @ApiProperty({ type: [String] }) phones: string[];
  @ApiProperty({ type: [AddressView] }) addresses: AddressView[];
  @ApiProperty(text) registrationNumber: string | null;
  @ApiProperty(text) taxNumber: string | null;
}

export function entityView(folded: Folded<EntityState>): EntityView {
  const { data } = folded;
  const isIndividual = data.entityType === 'Individual';
  return Object.assign(recordView(folded), {
    entityType: data.entityType,
    sortName: sortName(data),
    fullName: fullName(data),
    // Once erased, both names read alike; each type shows its own.
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
  });
}

const sorts = { sortName: 'r.sort_name', createdOn: 'r.created_on', updatedOn: 'r.updated_on' };

export class EntitiesQuery extends ListQuery {
  @IdsFilter('entity')
  declare ids?: string[];

  @ChoiceFilter('Only entities of this type.', entityTypes)
  entityType?: EntityType;

  @ChoiceFilter(
    'Field to sort by, descending with -.',
    Object.keys(sorts).flatMap((name) => [name, `-${name}`]),
  )
  declare sort?: string;
}

export const entities: RecordList<EntitiesQuery, EntityView> = {
  kind: 'entity',
  projection: 'people',
  table: 'people',
  sorts,
  order: 'sortName',
  filter({ entityType }, where) {
    if (entityType !== undefined) where('r.entity_type', '=', entityType);
  },
  view: (row) => entityView(foldedRow(entities, row)),
};
