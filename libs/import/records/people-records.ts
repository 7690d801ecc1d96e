import type { DomainEvent } from '#kernel/decider';
import { activateClient, CLIENT_NUMBER, Client, deactivateClient } from '#practice/clients/client';
import type { ClientEvent, ClientFields } from '#practice/clients/client.events';
import { Employee } from '#practice/employees/employee';
import type { EmployeeEvent, EmployeeFields } from '#practice/employees/employee.events';
import { createEntity, Entity } from '#practice/entities/entity';
import type { Address, EntityFields, EntityType } from '#practice/entities/entity.events';
import { noReference } from '#practice/records/record';
import { deactivate } from '#practice/records/simple-record';
import { Supplier } from '#practice/suppliers/supplier';
import type { SupplierFields } from '#practice/suppliers/supplier.events';
import { Evolving } from './evolving';
import type { Maker } from './imported-record';
import { created, type Fields } from './reference-records';
import { flagOf, maybeMoney, needed, type Row, wholeOf } from './row';

interface Active {
  isActive: boolean;
}

export const entities: Maker<Fields<EntityFields>> = {
  table: 'Entity',
  definition: Entity,
  wanted: (row, { settings }) => ({
    fields: {
      entityType: needed(row, 'EntityType') as EntityType,
      lastName: row.LastName,
      firstName: row.FirstName,
      title: null,
      name: row.Name,
      currency: row.Currency ?? settings.currency,
      email: row.Email,
      phones: row.Phone === null ? [] : [row.Phone],
      addresses: addressesOf(row),
      registrationNumber: row.RegistrationNumber,
      taxNumber: row.TaxNumber,
    },
  }),
  create: ({ fields }) => ({ events: createEntity({ ...fields, ...noReference }) }),
};

function addressesOf(row: Row): Address[] {
  const { Street: street, City: city, Region: region, Postcode: postcode, Country: country } = row;
  const address = { street, city, region, postcode, country };
  return Object.values(address).some((part) => part !== null) ? [address] : [];
}

export const employees: Maker<Fields<EmployeeFields> & Active> = {
  table: 'Employee',
  definition: Employee,
  wanted: (row, { ids, settings }) => ({
    fields: {
      entityId: ids.to('Entity', needed(row, 'EntityId')),
      initials: row.Initials,
      divisionId: ids.maybeTo('Division', row.DivisionId),
      jobTitle: row.JobTitle,
      billingGrade: row.BillingGrade,
      isFeeEarner: flagOf(needed(row, 'IsFeeEarner')),
      defaultRate: maybeMoney(row.DefaultRate, settings.currency),
    },
    isActive: row.State === 'Active',
  }),
  create({ fields, isActive }) {
    const first: EmployeeEvent = { type: 'EmployeeCreated', data: { ...fields, ...noReference } };
    const left = isActive ? [] : deactivate(Employee, Employee.evolve(undefined, first));
    return { events: [first, ...left] };
  },
};

export interface WantedClient {
  /** The client number is null when the next one is to be given. */
  fields: Omit<ClientFields, 'clientNumber'> & { clientNumber: string | null };
  state: string;
}

export const clients: Maker<WantedClient> = {
  table: 'Client',
  definition: Client,
  wanted: (row, { ids }) => ({
    fields: {
      entityId: ids.to('Entity', needed(row, 'EntityId')),
      clientNumber: row.ClientNumber,
      defaultRateSetId: null,
      taxCodeId: null,
      billingContactId: null,
      paymentTermsDays: wholeOf(row.PaymentTermsDays),
      minutesPerUnit: null,
    },
    state: needed(row, 'State'),
  }),
  create({ fields, state }, { numbers }) {
    const { number: clientNumber, counters } = numbers.take(CLIENT_NUMBER, fields.clientNumber);
    const first: ClientEvent = { type: 'ClientCreated', data: { ...fields, clientNumber, ...noReference } };
    const client = new Evolving(Client, Client.evolve(undefined, first));
    if (state !== 'New') client.apply(activateClient(client.now));
    if (state === 'Inactive') client.apply(deactivateClient(client.now, 0));
    return { events: [first, ...client.events], counters };
  },
  learn: (known, id, { fields }) => known.client(id, fields),
};

export const suppliers: Maker<Fields<SupplierFields> & Active> = {
  table: 'Supplier',
  definition: Supplier,
  wanted: (row, { ids }) => ({
    fields: {
      entityId: ids.to('Entity', needed(row, 'EntityId')),
      taxCodeId: null,
      defaultDisbursementCodeId: null,
      paymentTermsDays: wholeOf(row.PaymentTermsDays),
    },
    isActive: row.State === 'Active',
  }),
  create({ fields, isActive }) {
    const first = created(Supplier, fields);
    const left: DomainEvent[] = isActive ? [] : deactivate(Supplier, Supplier.evolve(undefined, first));
    return { events: [first, ...left] };
  },
};
