import type { Folded } from '#event-store/events';
import { conflict } from '#kernel/errors';
import { Activity } from '../records/activity';
import { CLIENT_ENTITY, Client, type ClientState, ENTITY_CLIENT, OPEN_MATTER } from './client';

export { CLIENT_ENTITY, Client, type ClientState, ENTITY_CLIENT, OPEN_MATTER };

/**
 * Refuses a client that is not active: only an active client has open matters.
 * @throws DomainError `client_not_active` (409)
 */
export function requireActiveClient({ data }: Folded<ClientState>): void {
  if (data.state !== Activity.Active)
    throw conflict('client_not_active', "The matter's client is not active.");
}
