import { column, reference, stateTable } from '../records/state-table';
import { Client, type ClientState } from './client';

export const clientsProjection = stateTable(Client, {
  name: 'clients',
  version: 2,
  columns: {
    entity_id: reference<ClientState>(({ entityId }) => entityId),
    client_number: column<ClientState>('text', ({ clientNumber }) => clientNumber),
    client_state: column<ClientState>('smallint', ({ state }) => state),
    tax_code_id: reference<ClientState>(({ taxCodeId }) => taxCodeId),
    billing_contact_id: reference<ClientState>(({ billingContactId }) => billingContactId),
  },
  words: ({ clientNumber }) => [clientNumber],
});
