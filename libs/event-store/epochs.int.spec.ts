import { toUuid } from '#kernel/ids';
import { createContext, createTestStore, type TestStore } from '../../test/support/store';
import { Epochs } from './epochs';
import { openParent } from './testing/commands';
import { readFeed } from './testing/read-feed';
import { Parent } from './testing/streams';

describe('epochs', () => {
  let store: TestStore;
  beforeEach(async () => {
    store = await createTestStore([Parent]);
  });
  afterEach(() => store.close());

  it('keep processes from starting after a restore into a server of lower transaction ids, until the next is opened', async () => {
    const context = await createContext(store);
    const epochs = new Epochs(store.writes);
    await epochs.onModuleInit();
    const old = await openParent(store.store, context, { name: 'old' });
    await store.writes.pool.query(
      `update event_store.events set transaction_id = '4000000000000000000'::xid8`,
    );
    await expect(epochs.onModuleInit()).rejects.toThrow('Open the next epoch: cli store new-epoch');

    expect(await epochs.open()).toBe(2);
    await epochs.onModuleInit();
    const next = await openParent(store.store, context, { name: 'next' });
    expect(next.position!.epoch).toBe(2);
    const feed = await readFeed(store.feed, context.tenant.partition, next.position!);
    expect(feed.map(({ streamId }) => streamId)).toEqual([old, next].map(({ record }) => toUuid(record.id)));
  });

  it('keep processes from starting when a webhook was registered in a transaction that is yet to come', async () => {
    const context = await createContext(store);
    const epochs = new Epochs(store.writes);
    await store.writes.pool.query(
      `insert into platform.integrations (id, client_id, name, secret_hash)
       values (gen_random_uuid(), 'test', 'Test', '')`,
    );
    await store.writes.pool.query(
      `insert into webhooks.endpoints (tenant_id, id, integration_id, url, events, payload_mode, secret, since_epoch,
         since_transaction_id, created_at, created_by, updated_at, updated_by)
       select $1, gen_random_uuid(), id, '', '{}', 'thin', '', 1, '4000000000000000000', now(), '', now(), ''
       from platform.integrations`,
      [context.tenant.id],
    );
    await expect(epochs.onModuleInit()).rejects.toThrow('Open the next epoch: cli store new-epoch');
    expect(await epochs.open()).toBe(2);
    await epochs.onModuleInit();
  });
});
