import { randomUUID } from 'node:crypto';
import type { RecordedEvent } from '#event-store/events';
import { START } from '#event-store/position';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { Division } from '../divisions/division';
import {
  CreateDivision,
  CreateDivisionHandler,
  UpdateDivision,
  UpdateDivisionHandler,
} from '../divisions/division.commands';
import { divisionsProjection } from '../divisions/division.projection';

describe('a state table', () => {
  let store: TestStore;
  let context: RequestContext;
  let events: RecordedEvent[];

  beforeEach(async () => {
    store = await createTestStore([Division]);
    context = await createContext(store);
    const { record } = await new CreateDivisionHandler(store.store).execute(
      new CreateDivision(context, { name: 'one' }),
    );
    for (const name of ['two', 'three']) {
      await new UpdateDivisionHandler(store.store).execute(new UpdateDivision(context, record.id, { name }));
    }
    const cursor = { partition: context.tenant.partition, after: START };
    await waitFor(async () => (events = (await store.feed.page([cursor], 10)).events).length === 3, {
      description: 'the feed to show three events',
    });
  });
  afterEach(() => store.close());

  const apply = (...versions: number[]) => applyAll(versions.map((version) => events[version - 1]));
  async function applyAll(batch: RecordedEvent[]): Promise<void> {
    const client = await store.reads.pool.connect();
    try {
      await divisionsProjection.apply(client, 1, batch);
    } finally {
      client.release();
    }
  }
  async function rows() {
    const result = await store.reads.pool.query('select version, name from read_model.divisions');
    return result.rows;
  }

  it('holds the fold of events that came in several batches', async () => {
    await apply(1, 2);
    await apply(3);
    expect(await rows()).toEqual([{ version: 3, name: 'three' }]);
  });

  it.each([
    ['no row of a record whose first event is in the batch', [1, 2], 0],
    ['the row of a record whose first event came before', [2, 3], 1],
  ])('reads %s', async (_, versions, questions) => {
    if (questions > 0) await apply(1);
    const client = await store.reads.pool.connect();
    const query = jest.spyOn(client, 'query');
    try {
      await divisionsProjection.apply(
        client,
        1,
        versions.map((version) => events[version - 1]),
      );
      const texts = query.mock.calls.map(([asked]: unknown[]) =>
        typeof asked === 'string' ? asked : (asked as { text: string }).text,
      );
      expect(texts.filter((text) => text.startsWith('select'))).toHaveLength(questions);
      expect(texts.filter((text) => text.startsWith('insert'))).toHaveLength(1);
    } finally {
      query.mockRestore();
      client.release();
    }
  });

  it('reads only a few very long rows at once, and updates all of them', async () => {
    const streams = Array.from({ length: 5 }, () => randomUUID());
    const of = (...versions: number[]) =>
      versions.flatMap((version) => streams.map((streamId) => ({ ...events[version - 1], streamId })));
    await applyAll(of(1));
    await store.reads.pool.query(
      `update read_model.divisions set state = jsonb_set(state::jsonb, '{padding}', to_jsonb(repeat('x', 20000000)))::json`,
    );
    const client = await store.reads.pool.connect();
    const query = jest.spyOn(client, 'query');
    try {
      await divisionsProjection.apply(client, 1, of(2, 3));
      const asked = query.mock.calls.flatMap(([text], index) =>
        typeof text === 'string' && text.startsWith('select') ? query.mock.results[index] : [],
      );
      const states = await Promise.all(
        asked.map(async ({ value }) => (await value).rows.filter(({ state }: { state: unknown }) => state)),
      );
      expect(states.map(({ length }) => length)).toEqual([3, 2]);
    } finally {
      query.mockRestore();
      client.release();
    }
    expect(await rows()).toEqual(streams.map(() => ({ version: 3, name: 'three' })));
  });

  it('does not change when events come again', async () => {
    await apply(1, 2, 3);
    await apply(1, 2, 3);
    await apply(2);
    expect(await rows()).toEqual([{ version: 3, name: 'three' }]);
  });

  it.each([
    ['in one batch', [[1, 2, 3]]],
    ['in one batch after their first events', [[1], [2, 3]]],
    ['in a batch each', [[1], [2], [3]]],
  ])('keeps records of two tenants with the same id apart when their events come %s', async (_, batches) => {
    // Imported records have the same ids in their staging tenant as in production.
    const { id } = context.tenant;
    const theirs = events.map((own) => {
      const { name } = own.event.data as { name: string };
      return {
        ...own,
        tenantId: id + 1,
        event: { ...own.event, data: { ...own.event.data, name: `their ${name}` } },
      };
    });
    for (const versions of batches)
      await applyAll(versions.flatMap((version) => [events[version - 1], theirs[version - 1]]));
    const { rows: kept } = await store.reads.pool.query(
      `select tenant_id, version, name, state ->> 'name' as "ofState" from read_model.divisions order by tenant_id`,
    );
    expect(kept).toEqual([
      { tenant_id: id, version: 3, name: 'three', ofState: 'three' },
      { tenant_id: id + 1, version: 3, name: 'their three', ofState: 'their three' },
    ]);
  });

  it.each(['null', '', ' a "b", \'c\' \\ {d} ', 'one\ntwo\tthree\\n'])(
    'stores the text %j unchanged',
    async (name) => {
      const [created] = events;
      Object.assign(created.event.data, { name });
      await apply(1);
      const { rows: kept } = await store.reads.pool.query(
        `select name, state ->> 'name' as "ofState" from read_model.divisions`,
      );
      expect(kept).toEqual([{ name, ofState: name }]);
    },
  );

  it.each([
    ['before the first version', [], [2, 3], 'event 2 follows 0'],
    ['after the version that the row has', [1], [3], 'event 3 follows 1'],
    ['within a batch', [], [1, 3], 'event 3 follows 1'],
    ['when events come in another order', [], [1, 3, 2], 'event 3 follows 1'],
  ])('refuses a gap between versions, and writes nothing: %s', async (_, earlier, versions, message) => {
    if (earlier.length > 0) await apply(...earlier);
    const before = await rows();
    await expect(apply(...versions)).rejects.toThrow(`division ${events[0].streamId}: ${message}`);
    expect(await rows()).toEqual(before);
  });
});
