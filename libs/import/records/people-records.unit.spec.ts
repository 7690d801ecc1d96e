import { DomainError } from '#kernel/errors';
import { groundFor, rowOf } from '../testing/ground';
import type { Ground, Maker } from './imported-record';
import { matters } from './matter-records';
import { clients, employees, entities, suppliers } from './people-records';

const none = { externalReference: null, referenceOwner: null };
const { ids } = groundFor();

function made<Wanted extends object>(
  maker: Maker<Wanted>,
  columns: Record<string, unknown>,
  ground: Ground = groundFor(),
) {
  const { events, counters } = maker.create(
    maker.wanted(rowOf(maker.table, { ImportId: '1', ...columns }), ground),
    ground,
  );
  return {
    events,
    counters,
    types: events.map(({ type }) => type),
    state: events.reduce(maker.definition.evolve, undefined),
  };
}

describe('people become', () => {
  it('individuals and organisations with what is known of them', () => {
    const person = {
      EntityType: 'Individual',
      FirstName: 'Zoë',
      LastName: "O'Brien",
      Phone: '020 7946 0000',
    };
    expect(made(entities, { ...person, Street: '1 Mill Lane', Currency: 'EUR' }).events).toEqual([
      {
        type: 'EntityCreated',
        data: {
          entityType: 'Individual',
          lastName: "O'Brien",
          firstName: 'Zoë',
          title: null,
          name: null,
          currency: 'EUR',
          email: null,
          phones: ['020 7946 0000'],
          addresses: [{ street: '1 Mill Lane', city: null, region: null, postcode: null, country: null }],
          registrationNumber: null,
          taxNumber: null,
          ...none,
        },
      },
    ]);
    const { state } = made(entities, { EntityType: 'Organisation', Name: '株式会社', TaxNumber: 'GB1' });
    expect(state).toMatchObject({
      name: '株式会社',
      currency: 'GBP',
      phones: [],
      addresses: [],
      taxNumber: 'GB1',
    });
  });

  it('nobody when names are missing or belong to another type, as with commands', () => {
    expect(() => made(entities, { EntityType: 'Individual', FirstName: 'Zoë' })).toThrow(DomainError);
    expect(() => made(entities, { EntityType: 'Organisation', Name: 'A', LastName: 'B' })).toThrow(
      DomainError,
    );
  });

  it.each([
    ['Active', ['EmployeeCreated'], 1],
    ['Inactive', ['EmployeeCreated', 'EmployeeDeactivated'], 2],
  ])('employees who are %s', (State, types, state) => {
    const row = { EntityId: 'E1', DivisionId: 'D1', Initials: 'ZB', IsFeeEarner: '1', State };
    const employee = made(employees, { ...row, DefaultRate: '210.5000000000' });
    expect(employee.types).toEqual(types);
    expect(employee.state).toEqual({
      entityId: ids.of('Entity', 'E1'),
      divisionId: ids.of('Division', 'D1'),
      initials: 'ZB',
      jobTitle: null,
      billingGrade: null,
      isFeeEarner: true,
      isDeleted: false,
      state,
      ...none,
      defaultRate: { amount: '210.5', currency: 'GBP' },
    });
  });

  it.each([
    ['New', ['ClientCreated']],
    ['Active', ['ClientCreated', 'ClientActivated']],
    ['Inactive', ['ClientCreated', 'ClientActivated', 'ClientDeactivated']],
  ])('clients who are %s', (State, types) => {
    const client = made(clients, { EntityId: 'E1', ClientNumber: 'C-7', State, PaymentTermsDays: '14' });
    expect(client.types).toEqual(types);
    expect(client.state).toMatchObject({ clientNumber: 'C-7', paymentTermsDays: 14 });
    expect(client.counters).toBeUndefined();
  });

  it('clients with the next number when the row has none, without a change of what is wanted of them', () => {
    const ground = groundFor();
    const row = { EntityId: 'E1', State: 'Active' };
    const wanted = clients.wanted(rowOf('Client', { ImportId: '1', ...row }), ground);
    const numbers = [made(clients, row, ground), made(clients, row, ground)];
    expect(numbers.map(({ state }) => state.clientNumber)).toEqual(['1', '2']);
    expect(numbers[1].counters).toEqual({ client_number: 2 });
    expect(clients.wanted(rowOf('Client', { ImportId: '1', ...row }), ground)).toEqual(wanted);
  });

  it.each([
    ['Active', ['SupplierCreated']],
    ['Inactive', ['SupplierCreated', 'SupplierDeactivated']],
  ])('suppliers who are %s', (State, types) => {
    expect(made(suppliers, { EntityId: 'E1', State, PaymentTermsDays: '7' }).types).toEqual(types);
  });
});

describe('matters become', () => {
  const row = {
    ClientId: 'C1',
    DivisionId: 'D1',
    MatterTypeId: 'T1',
    ResponsiblePersonId: 'P1',
    Title: 'Lease',
    MatterNumber: '40',
    DateOpened: '2025-01-05T09:00:00.0000000',
    FeeEstimate: '1500.0000',
  };
  const closed = { DateClosed: '2025-06-30T16:00:00.0000000' };

  it('matters with all that they refer to', () => {
    const matter = made(matters, { ...row, State: 'Open' });
    expect(matter.state).toEqual({
      clientId: ids.of('Client', 'C1'),
      divisionId: ids.of('Division', 'D1'),
      title: 'Lease',
      matterNumber: '40',
      matterTypeId: ids.of('MatterType', 'T1'),
      actingPersonId: null,
      responsiblePersonId: ids.of('Employee', 'P1'),
      assistingPersonId: null,
      introducerId: null,
      billingContactId: null,
      currency: 'GBP',
      feeEstimate: { amount: '1500', currency: 'GBP' },
      disbursementEstimate: null,
      rateSetId: null,
      taxCodeId: null,
      minutesPerUnit: null,
      dateOpened: '2025-01-05T09:00:00.000Z',
      state: 1,
      dateClosed: null,
      dateArchived: null,
      isDeleted: false,
      ...none,
    });
    expect(matter.counters).toEqual({ matter_number: 40 });
  });

  it('closed and archived ones on the day that the row says', () => {
    const on = '2025-06-30T16:00:00.000Z';
    expect(made(matters, { ...row, ...closed, State: 'Closed' })).toMatchObject({
      types: ['MatterCreated', 'MatterClosed'],
      state: { state: 2, dateClosed: on },
    });
    expect(made(matters, { ...row, ...closed, State: 'Archived' })).toMatchObject({
      types: ['MatterCreated', 'MatterClosed', 'MatterArchived'],
      state: { state: 3, dateClosed: on, dateArchived: on },
    });
  });
});
