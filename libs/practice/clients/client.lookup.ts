import type { Folded } from '#event-store/events';
import { Activity } from '../records/activity';
import { inactive, referred } from '../records/record';
import { Client, type ClientState, OPEN_MATTER } from './client';

export { Client, type ClientState, OPEN_MATTER };

/** A client that may own new matters. @throws DomainError client_not_found, client_not_active */
export function activeClient(folded: Folded<ClientState> | undefined, field: string): Folded<ClientState> {
  const client = referred(folded, 'client', field);
  if (client.data.state !== Activity.Active) throw inactive('client', field);
  return client;
}
