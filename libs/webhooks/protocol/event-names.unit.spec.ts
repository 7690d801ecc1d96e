import { definitions } from '#practice/areas';
import { nameOfEvent, ownName, qualifiedName } from './event-names';
import { qualifiedNames } from './event-names.table';

const names = Object.keys(qualifiedNames);

/** Events of a tenant itself are its operator's business, and sent to no integration. */
const told = definitions.filter(({ kind }) => kind !== 'tenant');
const events = told.flatMap(({ kind, events }) =>
  Object.keys(events).map((type) => [nameOfEvent(kind, type), type] as const),
);

it('every event of the areas has a name of its own, and every name has an event', () => {
  expect([...names].sort()).toEqual(events.map(([name]) => name).sort());
});

it('a name consists of an area and of what happened there', () => {
  for (const name of names) expect(name).toMatch(/^[a-z]+\.[a-z][A-Za-z]+$/);
});

it('each name has one qualified name, which leads back to it', () => {
  for (const [name, type] of events) {
    const area = name.startsWith('document') ? 'Documents' : 'Accounting';
    const last = name === 'document.versionAdded' ? 'DocumentCheckedIn' : type;
    expect(qualifiedName(name)).toBe(`PE.Mk2.${area}.V1.${last}`);
    expect(ownName(qualifiedName(name)!)).toBe(name);
  }
});

it.each([
  ['matter.created', 'PE.Mk2.Accounting.V1.MatterCreated'],
  ['matter.updated', 'PE.Mk2.Accounting.V1.MatterUpdated'],
  ['client.created', 'PE.Mk2.Accounting.V1.ClientCreated'],
  ['client.updated', 'PE.Mk2.Accounting.V1.ClientUpdated'],
  ['employee.created', 'PE.Mk2.Accounting.V1.EmployeeCreated'],
  ['supplier.updated', 'PE.Mk2.Accounting.V1.SupplierUpdated'],
  ['workitem.finalised', 'PE.Mk2.Accounting.V1.WorkItemFinalised'],
  ['invoice.issued', 'PE.Mk2.Accounting.V1.InvoiceIssued'],
  ['division.updated', 'PE.Mk2.Accounting.V1.DivisionUpdated'],
  ['document.created', 'PE.Mk2.Documents.V1.DocumentCreated'],
  ['document.versionAdded', 'PE.Mk2.Documents.V1.DocumentCheckedIn'],
])('%s is known to existing clients as %s', (own, qualified) => {
  expect(qualifiedName(own)).toBe(qualified);
  expect(ownName(qualified)).toBe(own);
});

it('the assignment of a role is an event of the entity', () => {
  expect(nameOfEvent('entity', 'RoleAssigned')).toBe('entity.roleAssigned');
});

it.each([
  '',
  'matter',
  'matter.*',
  'matter.Created',
  'PE.Mk2.Accounting.V2.MatterCreated',
  'toString',
  '__proto__',
])('%j is not a name', (name) => {
  expect(qualifiedName(name)).toBeUndefined();
  expect(ownName(name)).toBeUndefined();
});
