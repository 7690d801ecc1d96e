import type { ApiClient, Json } from '../support/client';
import { formOf } from '../support/form';
import { activeClient, generalDivision, hour, mark } from './records';
import { columns, feeAnalysis, listingVariables, workItemListing } from './specification-walk';

/** A person all of whose words occur nowhere else. */
export const person = {
  entityType: 'Individual',
  lastName: 'Quillfeather',
  firstName: 'Zebedee',
  title: 'Brigadier-Major',
  email: 'zq@wobblethorpe.example',
  phones: ['+44 7700 900461'],
  addresses: [
    { street: '99 Snodbury Rise', city: 'Umberslade', region: null, postcode: 'QX9 4ZZ', country: null },
  ],
  registrationNumber: 'REGNO-555-01',
  taxNumber: 'TAXNO-555-02',
  externalReference: 'wobbly-0815',
};
/** A name that was replaced before the read models are searched. */
export const earlierName = 'Winterbottomley';
export const words = [
  'Quillfeather',
  'Zebedee',
  'Brigadier-Major',
  'wobblethorpe',
  '7700 900461',
  'Snodbury',
  'Umberslade',
  'QX9 4ZZ',
  'REGNO-555-01',
  'TAXNO-555-02',
  'wobbly-0815',
  earlierName,
];

/** What a person has done, and the records about the person. */
export interface Life {
  /** Another record of the person, which was deleted and erased. */
  deletedId: string;
  entityId: string;
  /** The key of the request that created the entity. */
  idempotencyKey: string;
  /** An open matter without unbilled work. */
  matterId: string;
  /** Ids, by their names in the export. */
  held: Record<string, string[]>;
}

/** Creates a person who is client, employee and supplier, is billed, has documents, and is searched for by name. */
export async function life(api: ApiClient): Promise<Life> {
  const idempotencyKey = mark();
  const deletedId = await api.create('entities', { ...person, lastName: earlierName });
  await api.data('DELETE', `entities/${deletedId}`);
  await api.data('POST', `entities/${deletedId}/anonymise`);
  const created = await api.post('entities', person, { 'Idempotency-Key': idempotencyKey });
  const entityId: string = created.body.data.id;
  await api.data('PATCH', `entities/${entityId}`, { lastName: earlierName });
  await api.data('PATCH', `entities/${entityId}`, { lastName: person.lastName });
  const [clientId, employeeId, supplierId] = await Promise.all(
    ['clients', 'employees', 'suppliers'].map((area) => api.create(area, { entityId })),
  );
  await api.data('POST', `clients/${clientId}/activate`);
  const divisionId = await generalDivision(api);
  const matterId = await api.create('matters', {
    clientId,
    divisionId,
    title: 'Lease of a mill',
    responsiblePersonId: employeeId,
  });
  const otherId = await api.create('matters', {
    clientId: await activeClient(api),
    divisionId,
    title: 'Will',
    introducerId: entityId,
    billingContactId: entityId,
  });
  const workItems = [
    await api.create('workitems', hour(matterId, employeeId)),
    await api.create('workitems', hour(otherId, employeeId)),
  ];
  const lines = [{ kind: 'Fee', sourceId: workItems[0] }];
  const invoiceId = await api.create('invoices', { clientId, matterId, lines });
  await api.data('POST', `invoices/${invoiceId}/issue`, { issueDate: '2025-06-30' });
  const collectionId = await api.create('documentcollections', { name: 'Letters', subjectId: clientId });
  const letter = { fileName: 'letter.txt', documentCollectionId: collectionId, file: 'Dear all' };
  const documentId = (await api.data('POST', 'documents', formOf(letter))).id;
  await lookFor(api, entityId);
  return {
    deletedId,
    entityId,
    idempotencyKey,
    matterId,
    held: {
      clients: [clientId],
      employees: [employeeId],
      suppliers: [supplierId],
      matters: [matterId, otherId].sort(),
      workItems: workItems.sort(),
      invoices: [invoiceId],
      documentCollections: [collectionId],
      documents: [documentId],
    },
  };
}

/** All ways in which a client could make the service log the name. */
async function lookFor(api: ApiClient, entityId: string): Promise<void> {
  const { lastName, firstName, email } = person;
  for (const area of ['entities', 'clients', 'matters', 'workitems'])
    await api.rows(area, { keywords: `${firstName} ${lastName}` });
  const { slice, criteria } = listingVariables();
  const grouped = {
    ...slice,
    cols: columns(['units:sum']),
    sortBy: [],
    rowGroups: columns(['clientSortName']),
  };
  const groupKeys = [`${lastName}, ${firstName}`];
  await api.graphql(workItemListing, { criteria, slice: { ...grouped, groupKeys } });
  await api.graphql(`query ${lastName} { work_item_listing(${lastName}: "${email}") }`, {});
  await api.get(`entities/${lastName}`);
  await api.get(`entities?sort=${lastName}`);
  await api.get(`${lastName}/${firstName}?email=${email}`);
  await api.post('entities', { ...person, phones: lastName });
  await api.post('entities', { ...person, externalReference: null, entityType: lastName });
  await api.post('entities', `{"lastName": "${lastName}", `);
  await api.post(`entities/${entityId}/${lastName}`, { lastName });
  // A second request, which the taken reference refuses.
  await api.post('entities', person);
}

/** The sums of both reports, and the names by which they group. */
export async function sums(api: ApiClient): Promise<{ work: Json[]; fees: Json[] }> {
  const { slice, criteria } = listingVariables();
  const ask = async (text: string, measures: string[], group: string) => {
    const rowGroups = columns([group]);
    const shape = { ...slice, cols: columns([...measures, group]), sortBy: [], rowGroups };
    const { body } = await api.graphql(text, {
      criteria: text === workItemListing ? criteria : null,
      slice: shape,
    });
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return Object.values(body.data)[0] as Json[];
  };
  return {
    work: await ask(workItemListing, ['units:sum', 'totalBase:sum'], 'clientSortName'),
    fees: await ask(feeAnalysis, ['workItemBilled:sum', 'workItemFinalised:sum'], 'feeEarnerSortName'),
  };
}
