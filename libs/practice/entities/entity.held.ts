import type { Kind } from '#kernel/ids';
import { live } from '#projections/live';
import { rolesOfPerson } from './entity.role-queries';

/**
 * A place, in one read model, where data on a person is held. The condition `where` applies to the read model's rows
 * `r`; $1 is the tenant's number, $2 the entity's UUID, $3 its prefixed id.
 */
export interface Held {
  /** The name of the place in the export. */
  name: string;
  description: string;
  kind: Kind;
  projection: string;
  where: string;
}

/** The ids of the records of a read model that represent the person, including deleted ones. */
const own = (model: 'clients' | 'employees' | 'suppliers') =>
  `(select o.id from read_model.${model} o where ${live(model, 'o', '$1')} and o.entity_id = $2)`;

const prefixed = (kind: Kind, id: string) => `'${kind}_' || replace(${id}::text, '-', '')`;

/** The possible subjects of documents: the person, the client that the person is, and the matters of that client. */
const subjects = `(
  select $3 union all select ${prefixed('client', 'c.id')} from unnest(array${own('clients')}) as c(id)
  union all select ${prefixed('matter', 'm.id')} from read_model.matters m
  where ${live('matters', 'm', '$1')} and m.client_id in ${own('clients')})`;

/**
 * All places, in the order of the export. Every read model that refers to people, or to the clients, employees and
 * suppliers that they are, needs an entry here.
 */
export const held: readonly Held[] = [
  {
    name: 'roles',
    description: 'Roles of the entity, system and custom ones',
    kind: 'role',
    projection: 'roles',
    where: `r.id in (
      select o.id from read_model.people p cross join lateral (${rolesOfPerson}) o(id)
      where ${live('people', 'p', '$1')} and p.id = $2)`,
  },
  {
    name: 'clients',
    description: 'The client record of the entity, and the clients whose billing contact it is',
    kind: 'client',
    projection: 'clients',
    where: 'r.entity_id = $2 or r.billing_contact_id = $2',
  },
  {
    name: 'employees',
    description: 'The employee record of the entity',
    kind: 'employee',
    projection: 'employees',
    where: 'r.entity_id = $2',
  },
  {
    name: 'suppliers',
    description: 'The supplier record of the entity',
    kind: 'supplier',
    projection: 'suppliers',
    where: 'r.entity_id = $2',
  },
  {
    name: 'disbursementCodes',
    description: 'Disbursement codes for what is usually bought from the entity as a supplier',
    kind: 'disbursementcode',
    projection: 'disbursement-codes',
    where: `r.supplier_id in ${own('suppliers')}`,
  },
  {
    name: 'matters',
    description:
      'Matters of which the entity is the client, the billing contact, the introducer, or the responsible, acting or ' +
      'assisting person',
    kind: 'matter',
    projection: 'matters',
    where: `r.client_id in ${own('clients')} or r.billing_contact_id = $2 or r.state ->> 'introducerId' = $3
      or r.responsible_person_id in ${own('employees')} or r.acting_person_id in ${own('employees')}
      or r.assisting_person_id in ${own('employees')}`,
  },
  {
    name: 'applicableRates',
    description: 'Rates that are agreed for the entity as a client, or for its work as an employee',
    kind: 'applicablerate',
    projection: 'applicable-rates',
    where: `r.scope = 'Client' and r.scope_id in ${own('clients')} or r.employee_id in ${own('employees')}`,
  },
  {
    name: 'workItems',
    description: 'Work that the entity did as an employee',
    kind: 'workitem',
    projection: 'work-items',
    where: `r.employee_id in ${own('employees')}`,
  },
  {
    name: 'costRecoveries',
    description: 'Costs of what was bought from the entity as a supplier',
    kind: 'costrecovery',
    projection: 'cost-recoveries',
    where: `r.supplier_id in ${own('suppliers')}`,
  },
  {
    name: 'invoices',
    description: 'Invoices to the entity as a client',
    kind: 'invoice',
    projection: 'invoices',
    where: `r.client_id in ${own('clients')}`,
  },
  {
    name: 'documentCollections',
    description:
      'Collections of documents about the entity, its client record, or the matters of that client',
    kind: 'documentcollection',
    projection: 'document-collections',
    where: `r.subject_id in ${subjects}`,
  },
  {
    name: 'documents',
    description: 'Documents in these collections. `GET /documents/{id}/download` returns their bytes.',
    kind: 'document',
    projection: 'documents',
    where: `r.subject_id in ${subjects}`,
  },
];
