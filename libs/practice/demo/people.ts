import type { NewStream } from '#event-store/append/append-bulk';
import { type Id, newId } from '#kernel/ids';
import { createEntity, Entity } from '../entities/entity';
import type { EntityFields } from '../entities/entity.events';
import { noReference } from '../records/record';
import type { TenantState } from '../tenants/tenant';
import type { Names, PersonName } from './names';

/** What was made up, and its streams. */
export interface Made<What> {
  made: What;
  streams: NewStream[];
}

interface Party {
  id: Id<'entity'>;
  name: string;
  stream: NewStream;
}

/** A person's entity. */
export function person(names: Names, { currency }: TenantState, at: Date): Party & { initials: string } {
  const own = names.person();
  const { firstName, lastName } = own;
  const stream = party(
    {
      entityType: 'Individual',
      lastName,
      firstName,
      title: null,
      name: null,
      currency,
      ...contact(names, own),
      registrationNumber: null,
      taxNumber: null,
    },
    at,
  );
  return { ...stream, name: `${firstName} ${lastName}`, initials: `${firstName[0]}${lastName[0]}` };
}

/**
 * A company's entity. @param trade added to a family name to make the company's name; without it the whole name is
 * random
 */
export function company(names: Names, { currency }: TenantState, at: Date, trade?: string): Party {
  const name = trade ? `${names.person().lastName} ${trade}` : names.company();
  const stream = party(
    {
      entityType: 'Organisation',
      lastName: null,
      firstName: null,
      title: null,
      name,
      currency,
      ...contact(names),
      registrationNumber: names.registration(),
      taxNumber: null,
    },
    at,
  );
  return { ...stream, name };
}

function contact(names: Names, own?: PersonName) {
  const email = own ? names.email(own) : null;
  return { email, phones: [names.phone()], addresses: [names.address()] };
}

function party(fields: EntityFields, recordedAt: Date) {
  const id = newId('entity');
  const events = createEntity({ ...fields, ...noReference });
  return { id, stream: { definition: Entity, id, events, recordedAt } };
}
