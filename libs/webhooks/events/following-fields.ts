/** The fields of a document that describe its content. */
export const CONTENT = ['size', 'sha256', 'versions'];

const ofMatter = ['matterNumber', 'matterTitle'];
const ofPerson = ['sortName', 'fullName'];

/**
 * Fields that change together with another field, such as a name with the id of the person. The keys are the record's
 * kind and the field that is set.
 */
export const following: Record<string, Record<string, readonly string[]>> = {
  entity: { lastName: ofPerson, firstName: ofPerson, name: ofPerson },
  client: {
    entityId: [...ofPerson, 'streetAddress', 'currency'],
    taxCodeId: ['taxCode'],
    billingContactId: ['billingContactSortName'],
  },
  employee: { entityId: [...ofPerson, 'email'], divisionId: ['divisionName'] },
  supplier: { entityId: [...ofPerson, 'email'] },
  mattertype: { parentId: ['parentName'] },
  matter: {
    title: ['sortTitle'],
    clientId: ['clientEntityId', 'clientSortName'],
    divisionId: ['divisionName'],
    matterTypeId: ['matterType'],
    billingContactId: ['billingContactSortName'],
    responsiblePersonId: ['responsiblePerson'],
    actingPersonId: ['actingPerson'],
    assistingPersonId: ['assistingPerson'],
  },
  workitem: {
    matterId: ofMatter,
    employeeId: ['employeeSortName'],
    taskTypeId: ['taskTypeName'],
    itemType: ['itemTypeName'],
    units: ['unitDuration', 'remainingUnits'],
    minutesPerUnit: ['unitDuration'],
    total: ['totalBase', 'remaining'],
  },
  invoice: { matterId: ofMatter, clientId: ['clientNumber', 'clientSortName'] },
  costrecovery: {
    matterId: ofMatter,
    disbursementCodeId: ['disbursementCode', 'disbursementCodeName'],
    supplierId: ['supplierSortName'],
    quantity: ['remainingQuantity'],
    total: ['remaining'],
  },
  disbursementcode: { taxCodeId: ['taxCode'], supplierId: ['supplierSortName'] },
  applicablerate: {
    scopeId: ['scopeNumber'],
    employeeId: ['employeeSortName'],
    taskTypeId: ['taskTypeName'],
  },
  document: { content: CONTENT, documentCollectionId: ['documentCollectionName'] },
  documentcollection: { parentId: ['parentName'] },
};

/** Names in the data of events that are not fields of their record, alone or with the record's kind. */
const INNER = new Set(['referenceOwner', 'entryDay', 'workitem.minutesPerUnit', 'document.content']);

/**
 * The names of a record's fields that differ after some were set.
 * @param kind of the record
 * @param set names in the data of an event
 */
export function withFollowing(kind: string, set: readonly string[]): string[] {
  const own = set.filter((name) => !INNER.has(name) && !INNER.has(`${kind}.${name}`));
  return [...new Set([...own, ...set.flatMap((name) => following[kind]?.[name] ?? [])])];
}
