import { SystemClock } from '#kernel/clock';
import { newId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { contextFor, createContext, createTestStore, type TestStore } from '../../test/support/store';
import { BulkAppender } from './append-bulk';
import { END, START } from './position';
import { AppendSignal } from './signal';
import { TenantFeed } from './tenant-feed';
import { openChild, openParent, renameParent } from './testing/commands';
import { endsOf } from './testing/read-feed';
import { Child, Parent, parentOpened } from './testing/streams';

describe("a tenant's end of the feed", () => {
  let store: TestStore;
  let feed: TenantFeed;
  let context: RequestContext;
  let neighbour: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Parent, Child]);
    feed = new TenantFeed(store.writes, store.codec);
    context = await createContext(store);
    const { tenant } = await createContext(store);
    await store.writes.pool.query('update platform.tenants set partition = $2 where id = $1', [
      tenant.id,
      context.tenant.partition,
    ]);
    neighbour = contextFor({ ...tenant, partition: context.tenant.partition });
  });
  afterAll(() => store.close());

  it('is where its last event stands, and tells what came behind a position', async () => {
    const { tenant } = context;
    expect(await feed.last(tenant)).toBeUndefined();
    expect(await feed.typesSince(tenant, START)).toEqual([]);

    const first = await openParent(store.store, context);
    await openChild(store.store, context, first.record.id as `client_${string}`);
    const second = await renameParent(store.store, context, first.record.id, 'second');
    const theirs = await openParent(store.store, neighbour);
    expect(await feed.last(tenant)).toEqual(second.position);
    expect(await feed.last(neighbour.tenant)).toEqual(theirs.position);
    expect(await feed.typesSince(tenant, START)).toEqual(['ChildOpened', 'ParentOpened', 'ParentRenamed']);
    expect(await feed.typesSince(tenant, first.position!)).toEqual(['ChildOpened', 'ParentRenamed']);
    expect(await feed.typesSince(tenant, second.position!)).toEqual([]);
    expect(await feed.typesSince(neighbour.tenant, second.position!)).toEqual(['ParentOpened']);
    expect(await feed.typesSince(tenant, END)).toEqual([]);
  });

  it('is that of a bulk append, before the feed shows it', async () => {
    const { writes, codec, keys } = store;
    const signal = new AppendSignal(writes);
    // Holds the feed back.
    const client = await writes.pool.connect();
    await client.query('begin; select pg_current_xact_id()');
    try {
      const bulk = new BulkAppender(writes, codec, keys, signal, new SystemClock());
      const streams = Array.from({ length: 20 }, () => ({
        ...{ definition: Parent, id: newId('client'), events: [parentOpened()] },
      }));
      const position = await bulk.append(context, streams, 'import');
      expect(await feed.last(context.tenant)).toEqual(position);
      expect((await endsOf(store)).get(context.tenant.partition)).toEqual(position);
      const before = (await feed.read(context.tenant, START, 100)).events;
      expect(before.some(({ at }) => at.transactionId === position!.transactionId)).toBe(false);
    } finally {
      await client.query('rollback');
      client.release();
      signal.onApplicationShutdown();
    }
  });
});
