import { CLIENT_ENTITY, Client, type ClientState, ENTITY_CLIENT, OPEN_MATTER } from './client';

export { CLIENT_ENTITY, Client, type ClientState, ENTITY_CLIENT, OPEN_MATTER };
