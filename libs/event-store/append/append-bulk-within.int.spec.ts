import type { ClientBase } from 'pg';
import { SystemClock } from '#kernel/clock';
import { newId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import { at } from '../load';
import { AppendSignal } from '../signal';
import { openParent } from '../testing/commands';
import { Parent, parentOpened } from '../testing/streams';
import { BulkAppender, type BulkChunk, type BulkStream } from './append-bulk';

/** A stream with the row that the caller writes for it. */
type Given = BulkStream & { row: string };

describe('appendBulk with work of the caller in each transaction', () => {
  let store: TestStore;
  let signal: AppendSignal;
  let bulk: BulkAppender;
  let context: RequestContext;
  let chunks: BulkChunk<Given>[];
  beforeEach(async () => {
    chunks = [];
    store = await createTestStore([Parent]);
    signal = new AppendSignal(store.writes);
    bulk = new BulkAppender(store.writes, store.codec, store.keys, signal, new SystemClock());
    context = await createContext(store);
    await store.writes.pool.query('create table done (row text primary key, transaction xid8)');
  });
  afterEach(async () => {
    signal.onApplicationShutdown();
    await store.close();
  });

  const count = async (table: string) => {
    const { rows } = await store.writes.pool.query(`select count(*)::int as count from ${table}`);
    return rows[0].count as number;
  };
  const within = async (client: ClientBase, chunk: BulkChunk<Given>) => {
    chunks.push(chunk);
    await client.query(`insert into done select r, pg_current_xact_id() from unnest($1::text[]) r`, [
      chunk.streams.map(({ row }) => row),
    ]);
  };
  const given = (length: number): Given[] =>
    Array.from({ length }, (_, index) => ({
      definition: Parent,
      id: newId('client'),
      row: `row ${index}`,
      events: [parentOpened('parent', `code ${index}`)],
    }));
  const unchanged = async (): Promise<Given> => {
    const { record } = await openParent(store.store, context);
    return { definition: Parent, id: record.id, before: record, events: [], row: 'unchanged' };
  };

  it('runs that work in the transaction of each chunk, for streams without events too', async () => {
    const same = await unchanged();
    const position = await bulk.append(context, [...given(1_200), same], 'import', { within });
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.flatMap(({ streams }) => streams)).toHaveLength(1_201);
    const last = chunks.findLast((chunk) => chunk.position);
    expect(last!.position).toEqual(position);
    expect(await count('done')).toBe(1_201);
    // Each row was written by the transaction that wrote its event.
    expect(
      await count(
        `done d join event_store.events e on e.data ->> 'code' = replace(d.row, 'row', 'code')
           where e.transaction_id = d.transaction`,
      ),
    ).toBe(1_200);
    expect(await store.loader.load(context.tenant.id, [at(Parent, same.id)])).toMatchObject([{ version: 1 }]);
  });

  it('writes no events when nothing has changed, but still runs that work', async () => {
    const same = await unchanged();
    const events = await count('event_store.events');
    expect(await bulk.append(context, [same], 'import', { within })).toBeUndefined();
    expect(chunks).toEqual([{ streams: [same], position: undefined }]);
    expect([await count('done'), await count('event_store.events')]).toEqual([1, events]);
  });

  it('undoes the chunk when that work fails, and says why', async () => {
    const stopped = new Error('stopped');
    let chunk = 0;
    const stopping = bulk.append(context, given(1_200), 'import', {
      within: async (client, written) => {
        await within(client, written);
        if (++chunk === 2) throw stopped;
      },
    });
    await expect(stopping).rejects.toBe(stopped);
    expect([await count('done'), await count('event_store.events')]).toEqual([500, 500]);
    const collides = bulk.append(context, [{ ...given(2)[1], events: [parentOpened()] }], 'import', {
      within,
    });
    await expect(collides).rejects.toMatchObject({ code: '23505', table: 'done' });
    expect(await count('event_store.events')).toBe(500);
  });
});
