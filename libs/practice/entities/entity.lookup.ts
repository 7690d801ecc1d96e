import type { Folded } from '#event-store/events';
import { conflict, invalid } from '#kernel/errors';
import { referred } from '../records/record';
import { Entity, type EntityState, fullName, sortName } from './entity';

export { Entity, type EntityState, fullName, sortName };

/**
 * An entity that a field refers to.
 * @throws DomainError `entity_not_found`, `entity_anonymised`: nothing new begins with somebody who was erased
 */
export function presentEntity(folded: Folded<EntityState> | undefined, field: string): Folded<EntityState> {
  const entity = referred(folded, 'entity', field);
  if (entity.data.anonymisedOn !== null)
    throw invalid('entity_anonymised', `${field}: the personal data of the entity was erased.`, field);
  return entity;
}

/** 409 `entity_anonymised`: what somebody was who was erased is not switched on again. */
export function refuseErased(entity: Folded<EntityState> | undefined): void {
  if (entity && entity.data.anonymisedOn !== null)
    throw conflict('entity_anonymised', 'The personal data of the entity was erased.');
}

/** The first address on one line, or null. */
export function streetAddress({ addresses }: Pick<EntityState, 'addresses'>): string | null {
  if (addresses.length === 0) return null;
  const { street, city, region, postcode, country } = addresses[0];
  return [street, city, region, postcode, country].filter(Boolean).join(', ') || null;
}
