import { toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { Entity } from '../entities/entity';
import {
  CreateEntity,
  CreateEntityHandler,
  DeleteEntity,
  DeleteEntityHandler,
} from '../entities/entity.commands';
import type { EntityInput } from '../entities/entity.input';
import { peopleProjection } from '../entities/entity.projection';
import { Tenant } from '../tenants/tenant';
import { createFirm, getRecord, listRecords, project } from '../testing/firm';
import { Client } from './client';
import {
  ActivateClient,
  ActivateClientHandler,
  CreateClient,
  CreateClientHandler,
  DeactivateClient,
  DeactivateClientHandler,
  DeleteClient,
  DeleteClientHandler,
  UpdateClient,
  UpdateClientHandler,
} from './client.commands';
import type { ClientInput, ClientPatch } from './client.input';
import { OPEN_MATTER } from './client.lookup';
import { clientsProjection } from './client.projection';
import { clients, clientView } from './client.queries';

describe('clients on a real store', () => {
  let store: TestStore;
  let context: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Tenant, Entity, Client]);
  });
  beforeEach(async () => {
    context = await createFirm(store);
  });
  afterAll(() => store.close());

  const person = async (lastName: string, more: Partial<EntityInput> = {}) => {
    const body: EntityInput = { entityType: 'Individual', lastName, ...more };
    return (await new CreateEntityHandler(store.store).execute(new CreateEntity(context, body))).record.id;
  };
  const create = async (body: ClientInput) =>
    (await new CreateClientHandler(store.store).execute(new CreateClient(context, body))).record;
  const update = async (id: string, body: ClientPatch) =>
    (await new UpdateClientHandler(store.store).execute(new UpdateClient(context, id, body))).record;
  const activate = async (id: string) =>
    (await new ActivateClientHandler(store.store).execute(new ActivateClient(context, id))).record;
  const deactivate = async (id: string) =>
    (await new DeactivateClientHandler(store.store).execute(new DeactivateClient(context, id))).record;
  const remove = async (id: string) =>
    (await new DeleteClientHandler(store.store).execute(new DeleteClient(context, id))).record;

  it('a write is answered with the fields of the client, and a read with those of its entity too', async () => {
    const entityId = await person('Okafor', {
      firstName: 'Ada',
      addresses: [{ street: '12 Mill Lane', city: 'Leeds', postcode: 'LS1 4AP' }],
    });
    const billingContactId = await person('Payer');
    const record = await create({ entityId, billingContactId, minutesPerUnit: 7.5, paymentTermsDays: 14 });
    const own = {
      id: record.id,
      version: 1,
      isDeleted: false,
      entityId,
      clientNumber: '1',
      state: 0,
      stateName: 'New',
      defaultRateSetId: null,
      taxCodeId: null,
      billingContactId,
      paymentTermsDays: 14,
      minutesPerUnit: 7.5,
      externalReference: null,
    };
    expect(clientView(record)).toEqual({ ...record.audit, ...own });
    await project(store, context, [peopleProjection, clientsProjection]);
    expect(await getRecord(store, context, clients, record.id)).toEqual({
      ...record.audit,
      ...own,
      taxCode: null,
      sortName: 'Okafor, Ada',
      fullName: 'Ada Okafor',
      streetAddress: '12 Mill Lane, Leeds, LS1 4AP',
      currency: 'GBP',
      billingContactSortName: 'Payer',
    });
  });

  it('are found by number, by name and by state', async () => {
    const first = await create({ entityId: await person('Okafor'), clientNumber: 'C/2024/001' });
    const second = await create({ entityId: await person('Smith-Jones') });
    await activate(second.id);
    await project(store, context, [peopleProjection, clientsProjection]);
    const found = async (query: object) =>
      (await listRecords(store, context, clients, query)).map(({ id }) => id);
    expect(await found({ keywords: '2024/001' })).toEqual([first.id]);
    expect(await found({ keywords: 'jones' })).toEqual([second.id]);
    expect(await found({ state: 1 })).toEqual([second.id]);
    expect(await found({ entityId: first.data.entityId })).toEqual([first.id]);
    expect(await found({ sort: '-sortName' })).toEqual([second.id, first.id]);
    expect(await found({})).toEqual([second.id, first.id]);
  });

  it('get numbers that never repeat a number of a request', async () => {
    const number = async (clientNumber?: string) =>
      (await create({ entityId: await person('Any'), clientNumber })).data.clientNumber;
    expect(await number()).toBe('1');
    expect(await number('3')).toBe('3');
    expect(await number()).toBe('4');
    expect(await number('2')).toBe('2');
    expect(await number('OLD-5')).toBe('OLD-5');
    expect(await number()).toBe('5');
    await expect(number('3')).rejects.toMatchObject({ fault: 'conflict', code: 'client_number_taken' });
    const fresh = await create({ entityId: await person('Any') });
    await update(fresh.id, { clientNumber: '8' });
    expect(await number()).toBe('9');
  });

  it('get consecutive numbers when they are created at the same time', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `Person ${index}`);
    const people = await Promise.all(names.map((name) => person(name)));
    const made = await Promise.all(people.map((entityId) => create({ entityId })));
    const numbers = made.map(({ data }) => Number(data.clientNumber)).sort((a, b) => a - b);
    expect(numbers).toEqual(names.map((_, index) => index + 1));
  });

  it('only one is created of an entity when two requests come at once', async () => {
    const entityId = await person('Okafor');
    const outcomes = await Promise.allSettled([create({ entityId }), create({ entityId })]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(create({ entityId })).rejects.toMatchObject({
      fault: 'conflict',
      code: 'entity_client_taken',
    });
  });

  it('free their entity and their number when they are deleted', async () => {
    const entityId = await person('Okafor');
    const { id } = await create({ entityId, clientNumber: 'K1' });
    const deleteEntity = () =>
      new DeleteEntityHandler(store.store).execute(new DeleteEntity(context, entityId));
    await expect(deleteEntity()).rejects.toMatchObject({ fault: 'conflict', code: 'in_use' });
    await remove(id);
    await expect(activate(id)).rejects.toMatchObject({ fault: 'not_found' });
    const again = await create({ entityId, clientNumber: 'K1' });
    await remove(again.id);
    await deleteEntity();
  });

  it.each([
    ['entityId', { entityId: 'entity_00000000000000000000000000000000' }, 'entity_not_found'],
    ['billingContactId', { billingContactId: 'entity_00000000000000000000000000000000' }, 'entity_not_found'],
    [
      'defaultRateSetId',
      { defaultRateSetId: 'rateset_00000000000000000000000000000000' },
      'rateset_not_found',
    ],
    ['taxCodeId', { taxCodeId: 'taxcode_00000000000000000000000000000000' }, 'taxcode_not_found'],
  ])('are refused with an unknown %s', async (field, given, code) => {
    const entityId = await person('Okafor');
    const refusal = { fault: 'invalid', code, errors: [{ pointer: `/${field}` }] };
    await expect(create({ entityId, ...given })).rejects.toMatchObject(refusal);
    const { id } = await create({ entityId });
    if (field === 'entityId') refusal.code = 'entity_fixed';
    await expect(update(id, given)).rejects.toMatchObject(refusal);
  });

  it('are refused with an entity of another tenant', async () => {
    const entityId = await person('Okafor');
    context = await createFirm(store);
    await expect(create({ entityId })).rejects.toMatchObject({ code: 'entity_not_found' });
  });

  it('have their billing contact checked only when it changes', async () => {
    const entityId = await person('Okafor');
    const billingContactId = await person('Payer');
    const { id } = await create({ entityId, billingContactId });
    await store.writes.pool.query('delete from event_store.streams where stream_id = $1', [
      toUuid(billingContactId),
    ]);
    const after = await update(id, { billingContactId, paymentTermsDays: 30, minutesPerUnit: 6 });
    expect(after.data).toMatchObject({ billingContactId, paymentTermsDays: 30, minutesPerUnit: '6' });
    const cleared = await update(id, { billingContactId: null, clientNumber: null, minutesPerUnit: null });
    expect(cleared.data).toMatchObject({ billingContactId: null, clientNumber: '1', minutesPerUnit: null });
  });

  it('are deactivated only when active and without open matters', async () => {
    const { id } = await create({ entityId: await person('Okafor') });
    await expect(deactivate(id)).rejects.toMatchObject({ fault: 'conflict', code: 'client_not_active' });
    await activate(id);
    const link = [context.tenant.id, toUuid(id), OPEN_MATTER, toUuid(id)];
    await store.writes.pool.query(
      'insert into event_store.links (tenant_id, target, kind, source) values ($1, $2, $3, $4)',
      link,
    );
    await expect(deactivate(id)).rejects.toMatchObject({
      code: 'open_matters',
      detail: 'The client has 1 open matter.',
    });
    await expect(remove(id)).rejects.toMatchObject({ code: 'in_use' });
    await store.writes.pool.query(
      'delete from event_store.links where (tenant_id, target, kind, source) = ($1, $2, $3, $4)',
      link,
    );
    expect((await deactivate(id)).data.state).toBe(2);
    const { version } = await deactivate(id);
    expect((await activate(id)).version).toBe(version + 1);
  });
});
