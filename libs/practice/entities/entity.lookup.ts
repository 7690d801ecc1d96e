import type { Folded } from '#event-store/events';
import { conflict, invalid } from '#kernel/errors';
import { referred } from '../records/record';
import { Entity, type EntityState, fullName, sortName } from './entity';

export { Entity, type EntityState, fullName, sortName };

/**
 * The entity that a field refers to.
 * @throws DomainError `entity_not_found`, `entity_anonymised`: new records cannot refer to an erased entity
 */
export function presentEntity(folded: Folded<EntityState> | undefined, field: string): Folded<EntityState> {
  const entity = referred(folded, 'entity', field);
  if (entity.data.anonymisedOn !== null)
    throw invalid('entity_anonymised', `${field}: the personal data of the entity was erased.`, field);
  return entity;
}

/**
 * Refuses what would begin anew for an erased entity: activating the client, employee or supplier that it was, or a
 * version of a document about it.
 * @throws DomainError `entity_anonymised` (409)
 */
export function refuseErased(entity: Folded<EntityState> | undefined): void {
  if (entity && entity.data.anonymisedOn !== null)
    throw conflict('entity_anonymised', 'The personal data of the entity was erased.');
}

/** The first address on one line; null if there is none. */
export function streetAddress({ addresses }: Pick<EntityState, 'addresses'>): string | null {
  if (addresses.length === 0) return null;
  const { street, city, region, postcode, country } = addresses[0];
  return [street, city, region, postcode, country].filter(Boolean).join(', ') || null;
}
