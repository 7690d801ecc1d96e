import type { Link, NaturalKey, StreamDefinition } from '#kernel/decider';
import { conflict, invalid } from '#kernel/errors';
import { Activity } from '../records/activity';
import { type RecordState, referenceKeys, refuseInUse } from '../records/record';
import { type ClientEvent, type ClientFields, clientEvents } from './client.events';

export interface ClientState extends RecordState, ClientFields {
  state: Activity;
}

/** The counter of the tenant's client numbers, and the kind of the natural keys that hold them. */
export const CLIENT_NUMBER = 'client_number';
/** The kind of the natural key that ensures that an entity is at most one client. */
export const ENTITY_CLIENT = 'entity_client';
/** The kind of the link from a client to its entity. */
export const CLIENT_ENTITY = 'client_entity';
/** The kind of the link from an open matter to its client. */
export const OPEN_MATTER = 'open_matter';

function linksOf({ isDeleted, entityId, ...client }: ClientState): Link[] {
  if (isDeleted) return [];
  const entity = { kind: CLIENT_ENTITY, target: entityId };
  const { billingContactId, defaultRateSetId, taxCodeId } = client;
  const terms = [defaultRateSetId, taxCodeId].filter((id) => id !== null);
  return [
    entity,
    ...(billingContactId ? [{ kind: 'billing_contact', target: billingContactId }] : []),
    ...terms.map((target) => ({ kind: 'client_terms', target })),
  ];
}

function keysOf(state: ClientState): NaturalKey[] {
  if (state.isDeleted) return [];
  return [
    ...referenceKeys('client', state),
    { kind: CLIENT_NUMBER, key: state.clientNumber },
    { kind: ENTITY_CLIENT, key: state.entityId },
  ];
}

export const Client: StreamDefinition<ClientState, ClientEvent> = {
  kind: 'client',
  foldVersion: 2,
  events: clientEvents,
  isDeleted: ({ isDeleted }) => isDeleted,
  links: linksOf,
  keys: keysOf,
  evolve(state, event) {
    if (event.type === 'ClientCreated') return { state: Activity.New, isDeleted: false, ...event.data };
    const before = state as ClientState;
    switch (event.type) {
      case 'ClientUpdated':
        return { ...before, ...event.data };
      case 'ClientActivated':
        return { ...before, state: Activity.Active };
      case 'ClientDeactivated':
        return { ...before, state: Activity.Inactive };
      case 'ClientDeleted':
        return { ...before, isDeleted: true };
    }
  },
};

/** @param changes the fields that differ from the current state */
export function updateClient({ entityId, ...changes }: Partial<ClientState>): ClientEvent[] {
  if (entityId !== undefined) {
    throw invalid('entity_fixed', 'entityId: the entity of a client cannot be changed.', 'entityId');
  }
  return Object.keys(changes).length === 0 ? [] : [{ type: 'ClientUpdated', data: changes }];
}

export function activateClient({ state }: ClientState): ClientEvent[] {
  return state === Activity.Active ? [] : [{ type: 'ClientActivated', data: {} }];
}

/** @param openMatters how many of the client's matters are open */
export function deactivateClient({ state }: ClientState, openMatters: number): ClientEvent[] {
  if (state === Activity.Inactive) return [];
  if (state === Activity.New) throw conflict('client_not_active', 'The client was never activated.');
  if (openMatters > 0) {
    throw conflict(
      'open_matters',
      `The client has ${openMatters} open matter${openMatters === 1 ? '' : 's'}.`,
    );
  }
  return [{ type: 'ClientDeactivated', data: {} }];
}

/** @param uses how many links point at the client */
export function deleteClient(uses: number): ClientEvent[] {
  refuseInUse('client', uses);
  return [{ type: 'ClientDeleted', data: {} }];
}
