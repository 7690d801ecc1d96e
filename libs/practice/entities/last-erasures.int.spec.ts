import { readFile } from 'node:fs/promises';
import type { RequestContext } from '#platform/request-context';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import { createFirm } from '../testing/firm';
import { AnonymiseEntity, AnonymiseEntityHandler } from './entity.anonymise';
import { CreateEntity, CreateEntityHandler } from './entity.commands';

const PEOPLE = 12;
const LAST = `select distinct on (tenant_id) tenant_id, (epoch, transaction_id, position)::event_store.feed_position::text as at
  from event_store.events where type = 'EntityAnonymised'
  order by tenant_id, epoch desc, transaction_id desc, position desc`;

describe('the position of the last erasure of a tenant', () => {
  let store: TestStore;
  let firms: RequestContext[];

  beforeAll(async () => {
    store = await createTestStore(definitions);
    firms = [await createFirm(store), await createFirm(store)];
    await createFirm(store);
  });
  afterAll(() => store.close());

  const rows = async (text: string) => (await store.writes.pool.query<object>(text)).rows;
  const noted = () => rows('select tenant_id, at::text from event_store.last_erasures order by 1');

  it('is recorded with each erasure, also when many happen at once', async () => {
    const each = firms.flatMap((context) => Array.from({ length: PEOPLE }, () => context));
    const people = await Promise.all(
      each.map(async (context) => {
        const body = { entityType: 'Individual' as const, lastName: 'Quillfeather' };
        const creating = new CreateEntity(context, body);
        const { record } = await new CreateEntityHandler(store.store).execute(creating);
        return new AnonymiseEntity(context, record.id);
      }),
    );
    await Promise.all(people.map((one) => new AnonymiseEntityHandler(store.store).execute(one)));
    const last = await rows(LAST);
    expect(last).toHaveLength(firms.length);
    expect(await noted()).toEqual(last);
  });

  it('is derived by the migration for erasures that happened before it', async () => {
    const before = await noted();
    await store.writes.pool.query('drop table event_store.last_erasures');
    await store.writes.pool.query(await readFile('migrations/write/0023-erasures-noted.sql', 'utf8'));
    expect(await noted()).toEqual(before);
  });
});
