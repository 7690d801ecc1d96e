import { given } from '#kernel/testing/given';
import { activateClient, Client, deactivateClient, deleteClient, updateClient } from './client';
import type { ClientEvent } from './client.events';

const entityId = 'entity_0198c2f1a4b87c3d9e5f60718293a4b5';
const contactId = 'entity_0198c2f1a4b87c3d9e5f60718293a4b6';
const created: ClientEvent = {
  type: 'ClientCreated',
  data: {
    entityId,
    clientNumber: '7',
    defaultRateSetId: null,
    taxCodeId: null,
    billingContactId: null,
    paymentTermsDays: null,
    minutesPerUnit: null,
    externalReference: null,
    referenceOwner: null,
  },
};
const activated: ClientEvent = { type: 'ClientActivated', data: {} };
const deactivated: ClientEvent = { type: 'ClientDeactivated', data: {} };
const deleted: ClientEvent = { type: 'ClientDeleted', data: {} };

describe('clients', () => {
  it('go from new to active, from active to inactive, and back to active', () => {
    given(Client, [created])
      .when((state) => activateClient(state))
      .thenEvents([activated]);
    given(Client, [created, activated])
      .when((state) => deactivateClient(state, 0))
      .thenEvents([deactivated]);
    given(Client, [created, activated, deactivated])
      .when((state) => activateClient(state))
      .thenEvents([activated]);
  });

  it('do not change when they are activated or deactivated a second time', () => {
    given(Client, [created, activated])
      .when((state) => activateClient(state))
      .thenEvents([]);
    given(Client, [created, activated, deactivated])
      .when((state) => deactivateClient(state, 0))
      .thenEvents([]);
  });

  it('cannot be deactivated before they were active, nor while they have open matters', () => {
    given(Client, [created])
      .when((state) => deactivateClient(state, 0))
      .thenRefused('client_not_active');
    given(Client, [created, activated])
      .when((state) => deactivateClient(state, 2))
      .thenRefused('open_matters');
  });

  it('cannot be given another entity', () => {
    given(Client, [created])
      .when(() => updateClient({ entityId: contactId }))
      .thenRefused('entity_fixed');
    given(Client, [created])
      .when(() => updateClient({}))
      .thenEvents([]);
  });

  it('are deleted only while nothing points at them', () => {
    given(Client, [created])
      .when(() => deleteClient(1))
      .thenRefused('in_use');
    given(Client, [created])
      .when(() => deleteClient(0))
      .thenEvents([deleted]);
  });

  it('hold their entity, their number and their billing contact until they are deleted', () => {
    const updated: ClientEvent = { type: 'ClientUpdated', data: { billingContactId: contactId } };
    const { state } = given(Client, [created, updated]);
    expect(Client.links(state!)).toEqual([
      { kind: 'client_entity', target: entityId },
      { kind: 'billing_contact', target: contactId },
    ]);
    expect(Client.keys(state!)).toEqual([
      { kind: 'client_number', key: '7' },
      { kind: 'entity_client', key: entityId },
    ]);
    const { state: gone } = given(Client, [created, updated, deleted]);
    expect([...Client.links(gone!), ...Client.keys(gone!)]).toEqual([]);
  });
});
