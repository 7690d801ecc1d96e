/** What a document shows of its content. */
export const CONTENT = ['size', 'sha256', 'versions'];

const ofMatter = ['matterNumber', 'matterTitle'];
const ofPerson = ['sortName', 'fullName'];

/** Fields of a record that change with another, as a name with the id of whom it is, by the area's kind and what is set. */
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

/** What the data of an event holds beside fields of its record, by its name or with the area's kind. */
const INNER = new Set(['referenceOwner', 'entryDay', 'workitem.minutesPerUnit', 'document.content']);

/**
 * Fields of a record that differ once some were set, without what they hold.
 * @param kind of the record
 * @param set names in the data of an event
 */
export function withFollowing(kind: string, set: readonly string[]): string[] {
  const own = set.filter((name) => !INNER.has(name) && !INNER.has(`${kind}.${name}`));
  return [...new Set([...own, ...set.flatMap((name) => following[kind]?.[name] ?? [])])];
}
