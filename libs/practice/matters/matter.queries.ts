import { type Kind, toId, toUuid } from '#kernel/ids';
import {
  IdFilter,
  IdsFilter,
  ListQuery,
  SortFilter,
  WholeNumberFilter,
} from '#platform/http/input/list-query';
import { foldedRow, type Join, type RecordList, type RecordRow } from '../records/record-list';
import { type MatterView, matterView, type PersonView } from './matter.view';

const persons = ['responsible', 'acting', 'assisting'] as const;

/** The joins of one of the matter's persons: the employee, and the entity that the employee is. */
function person(name: (typeof persons)[number]): Join[] {
  const employee: Join = {
    projection: 'employees',
    alias: name,
    on: `r.${name}_person_id`,
    columns: {
      [`${name}_initials`]: 'initials',
      [`${name}_job_title`]: 'job_title',
      [`${name}_grade`]: 'billing_grade',
    },
  };
  const people: Join = {
    projection: 'people',
    alias: `${name}_p`,
    on: `${name}.entity_id`,
    columns: { [`${name}_sort_name`]: 'sort_name' },
  };
  return [employee, people];
}

function personView(row: RecordRow, name: (typeof persons)[number]): PersonView | null {
  if (row[`${name}_sort_name`] == null) return null;
  return {
    sortName: row[`${name}_sort_name`] as string,
    initials: row[`${name}_initials`] as string | null,
    jobTitle: row[`${name}_job_title`] as string | null,
    billingGrade: row[`${name}_grade`] as string | null,
  };
}

const sorts = {
  matterNumber: 'r.matter_number',
  title: 'r.title',
  dateOpened: 'r.date_opened',
  clientSortName: 'p.sort_name',
  createdOn: 'r.created_on',
  updatedOn: 'r.updated_on',
};

export class MattersQuery extends ListQuery {
  @IdsFilter('matter')
  declare ids?: string[];

  @IdFilter('client', 'Only matters of this client.')
  clientId?: string;

  @IdFilter('division', 'Only matters of this division.')
  divisionId?: string;

  @IdFilter('mattertype', 'Only matters of this type.')
  matterTypeId?: string;

  @IdFilter('employee', 'Only matters for which this person is responsible.')
  responsiblePersonId?: string;

  @WholeNumberFilter('1 Open, 2 Closed, 3 Archived.', { min: 1, max: 3 })
  state?: number;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const matters: RecordList<MattersQuery, MatterView> = {
  kind: 'matter',
  projection: 'matters',
  joins: [
    {
      projection: 'clients',
      alias: 'c',
      on: 'r.client_id',
      columns: { client_entity_id: 'entity_id' },
    },
    {
      projection: 'people',
      alias: 'p',
      on: 'c.entity_id',
      columns: { client_sort_name: 'sort_name' },
    },
    {
      projection: 'divisions',
      alias: 'd',
      on: 'r.division_id',
      columns: { division_name: 'name' },
    },
    { projection: 'matter-types', alias: 'm', on: 'r.matter_type_id', columns: { matter_type: 'name' } },
    {
      projection: 'people',
      alias: 'b',
      on: 'r.billing_contact_id',
      columns: { contact_sort_name: 'sort_name' },
    },
    ...persons.flatMap(person),
  ],
  oldest: [
    {
      projection: 'invoices',
      alias: 'draft',
      refersBy: 'matter_id',
      where: 'draft.invoice_state = 0',
      columns: { draft_invoice_id: 'id' },
    },
    {
      projection: 'document-collections',
      alias: 'collection',
      refersBy: 'root_of',
      where: 'collection.root_of is not null',
      columns: { document_collection_id: 'id' },
    },
  ],
  sorts,
  order: 'matterNumber',
  searched: ['r', 'p'],
  filter({ clientId, divisionId, matterTypeId, responsiblePersonId, state }, where) {
    if (clientId) where('r.client_id', '=', toUuid(clientId));
    if (divisionId) where('r.division_id', '=', toUuid(divisionId));
    if (matterTypeId) where('r.matter_type_id', '=', toUuid(matterTypeId));
    if (responsiblePersonId) where('r.responsible_person_id', '=', toUuid(responsiblePersonId));
    if (state !== undefined) where('r.matter_state', '=', state);
  },
  view: (row) =>
    Object.assign(matterView(foldedRow(matters, row)), {
      draftInvoiceId: idOf('invoice', row.draft_invoice_id),
      documentCollectionId: idOf('documentcollection', row.document_collection_id),
      clientEntityId: idOf('entity', row.client_entity_id),
      clientSortName: row.client_sort_name as string | null,
      divisionName: row.division_name as string | null,
      matterType: row.matter_type as string | null,
      billingContactSortName: row.contact_sort_name as string | null,
      responsiblePerson: personView(row, 'responsible'),
      actingPerson: personView(row, 'acting'),
      assistingPerson: personView(row, 'assisting'),
    }),
};

function idOf(kind: Kind, uuid: unknown): string | null {
  return typeof uuid === 'string' ? toId(kind, uuid) : null;
}
