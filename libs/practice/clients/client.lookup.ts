import { Client, type ClientState, OPEN_MATTER } from './client';

export { Client, type ClientState, OPEN_MATTER };
