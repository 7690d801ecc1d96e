import { at } from '#event-store/load';
import { toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { Tenant } from '../tenants/tenant';
import { createFirm, getRecord, listRecords, project } from '../testing/firm';
import { Entity } from './entity';
import {
  CreateEntity,
  CreateEntityHandler,
  DeleteEntity,
  DeleteEntityHandler,
  UpdateEntity,
  UpdateEntityHandler,
} from './entity.commands';
import type { EntityInput, EntityPatch } from './entity.input';
import { peopleProjection } from './entity.projection';
import { entities, entityView } from './entity.queries';

describe('entities on a real store', () => {
  let store: TestStore;
  let context: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Tenant, Entity]);
  });
  beforeEach(async () => {
    context = await createFirm(store);
  });
  afterAll(() => store.close());

  const create = async (body: EntityInput) =>
    (await new CreateEntityHandler(store.store).execute(new CreateEntity(context, body))).record;
  const update = async (id: string, body: EntityPatch) =>
    (await new UpdateEntityHandler(store.store).execute(new UpdateEntity(context, id, body))).record;

  const quill: EntityInput = {
    entityType: 'Individual',
    lastName: 'Quillfeather',
    firstName: 'Zebedee',
    title: 'Brigadier',
    email: 'zebedee@quillfeather.example',
    phones: ['+44 113 496 0777'],
    addresses: [{ street: '99 Wobblethorpe Rise', city: 'Snodland' }],
    registrationNumber: 'REGNO-55501',
    taxNumber: 'TAXNO-55502',
  };
  const personal = [
    'Quillfeather',
    'Zebedee',
    'Brigadier',
    '496 0777',
    'Wobblethorpe',
    'Snodland',
    '55501',
    '55502',
    'Umberslade',
  ];

  it("are read with every field, in the tenant's currency unless they were given another", async () => {
    const { id } = await create(quill);
    await create({ entityType: 'Organisation', name: 'Acme & Sons', currency: 'AUD' });
    await project(store, context, [peopleProjection]);
    expect(await getRecord(store, context, entities, id)).toMatchObject({
      id,
      version: 1,
      isDeleted: false,
      entityType: 'Individual',
      sortName: 'Quillfeather, Zebedee',
      fullName: 'Zebedee Quillfeather',
      name: null,
      currency: 'GBP',
      addresses: [
        { street: '99 Wobblethorpe Rise', city: 'Snodland', region: null, postcode: null, country: null },
      ],
      externalReference: null,
    });
    const rows = await listRecords(store, context, entities);
    expect(rows.map(({ sortName, currency }) => [sortName, currency])).toEqual([
      ['Acme & Sons', 'AUD'],
      ['Quillfeather, Zebedee', 'GBP'],
    ]);
  });

  it.each([['zeb'], ['QUILL zebedee'], ['zebedee@quillfeather.example'], ['regno-55501']])(
    'are found by %s',
    async (keywords) => {
      await create(quill);
      await create({ entityType: 'Organisation', name: 'Acme' });
      await project(store, context, [peopleProjection]);
      const rows = await listRecords(store, context, entities, { keywords });
      expect(rows.map(({ lastName }) => lastName)).toEqual(['Quillfeather']);
      expect(await listRecords(store, context, entities, { keywords, entityType: 'Organisation' })).toEqual(
        [],
      );
    },
  );

  it('show updates and deletions', async () => {
    const { id } = await create(quill);
    await update(id, { firstName: null, email: null, phones: null, addresses: [] });
    await project(store, context, [peopleProjection]);
    expect(await getRecord(store, context, entities, id)).toMatchObject({
      version: 2,
      sortName: 'Quillfeather',
      firstName: null,
      email: null,
      phones: [],
      addresses: [],
      title: 'Brigadier',
    });
    await new DeleteEntityHandler(store.store).execute(new DeleteEntity(context, id));
    await project(store, context, [peopleProjection]);
    expect(await getRecord(store, context, entities, id)).toMatchObject({ version: 3, isDeleted: true });
    expect(await listRecords(store, context, entities)).toEqual([]);
    await expect(update(id, { title: null })).rejects.toMatchObject({ fault: 'not_found' });
  });

  it('get no event when nothing changes', async () => {
    const { id } = await create(quill);
    const { version } = await update(id, { ...quill, currency: null });
    expect(version).toBe(1);
  });

  it('have no readable personal data in the store', async () => {
    const { id } = await create(quill);
    await update(id, { lastName: 'Umberslade' });
    for (const table of ['events', 'streams', 'links', 'reservations', 'subject_keys']) {
      const { rows } = await store.writes.pool.query(
        `select t::text from event_store.${table} t where t::text ilike any($1)`,
        [personal.map((word) => `%${word}%`)],
      );
      expect(rows).toEqual([]);
    }
  });

  it('are the same when folded from their events as in the stored state', async () => {
    const { id } = await create(quill);
    await update(id, { lastName: 'Umberslade', currency: 'EUR' });
    await expect(bothWays(id)).resolves.toMatchObject({ lastName: 'Umberslade', firstName: 'Zebedee' });
  });

  it('appear as erased once their key is gone', async () => {
    const { id } = await create(quill);
    await update(id, { email: 'other@example.com' });
    await store.writes.pool.query('delete from event_store.subject_keys where subject = $1', [toUuid(id)]);
    const data = await bothWays(id);
    const folded = await store.loader.foldEvents(Entity, context.tenant.id, toUuid(id));
    const name = `Erased ${id.slice(-4)}`;
    expect(entityView({ ...folded!, data })).toMatchObject({
      sortName: name,
      fullName: name,
      lastName: name,
      name: null,
      firstName: null,
      email: null,
      phones: [],
      addresses: [],
      taxNumber: null,
      currency: 'GBP',
    });
  });

  /** The state as stored, after a comparison with the fold of its events. */
  async function bothWays(id: string) {
    const folded = await store.loader.foldEvents(Entity, context.tenant.id, toUuid(id));
    const [loaded] = (await store.loader.load(context.tenant.id, [at(Entity, id)])) as [typeof folded];
    const { wrapped: _key, ...stored } = loaded!;
    expect({ ...folded, wrapped: undefined }).toEqual({ ...stored, wrapped: undefined });
    return stored.data as Parameters<typeof entityView>[0]['data'];
  }
});
