import type { Folded } from '#event-store/events';
import { conflict } from '#kernel/errors';
import { Activity } from '../records/activity';
import { CLIENT_ENTITY, Client, type ClientState, ENTITY_CLIENT, OPEN_MATTER } from './client';

export { CLIENT_ENTITY, Client, type ClientState, ENTITY_CLIENT, OPEN_MATTER };

/** 409 `client_not_active`: only an active client has open matters. */
export function requireActiveClient({ data }: Folded<ClientState>): void {
  if (data.state !== Activity.Active)
    throw conflict('client_not_active', "The matter's client is not active.");
}
