import type { Folded } from '#event-store/events';
import { referred } from '../records/record';
import { Entity, type EntityState, fullName, sortName } from './entity';

export { Entity, type EntityState, fullName, sortName };

/** An entity that a field refers to. @throws DomainError entity_not_found */
export function presentEntity(folded: Folded<EntityState> | undefined, field: string): Folded<EntityState> {
  return referred(folded, 'entity', field);
}

/** The first address on one line, or null. */
export function streetAddress({ addresses }: Pick<EntityState, 'addresses'>): string | null {
  if (addresses.length === 0) return null;
  const { street, city, region, postcode, country } = addresses[0];
  return [street, city, region, postcode, country].filter(Boolean).join(', ') || null;
}
