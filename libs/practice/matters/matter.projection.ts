import { column, reference, stateTable } from '../records/state-table';
import { Matter, type MatterState } from './matter';

export const mattersProjection = stateTable(Matter, {
  name: 'matters',
  version: 2,
  columns: {
    client_id: reference<MatterState>(({ clientId }) => clientId),
    division_id: reference<MatterState>(({ divisionId }) => divisionId),
    matter_type_id: reference<MatterState>(({ matterTypeId }) => matterTypeId),
    matter_number: column<MatterState>('text', ({ matterNumber }) => matterNumber),
    title: column<MatterState>('text', ({ title }) => title),
    matter_state: column<MatterState>('smallint', ({ state }) => state),
    responsible_person_id: reference<MatterState>(({ responsiblePersonId }) => responsiblePersonId),
    acting_person_id: reference<MatterState>(({ actingPersonId }) => actingPersonId),
    assisting_person_id: reference<MatterState>(({ assistingPersonId }) => assistingPersonId),
    billing_contact_id: reference<MatterState>(({ billingContactId }) => billingContactId),
    date_opened: column<MatterState>('timestamptz', ({ dateOpened }) => dateOpened),
  },
  words: ({ matterNumber, title }) => [matterNumber, title],
});
