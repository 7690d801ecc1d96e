import { Client } from 'pg';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { type Cursor, cursorParameters, feedParameters, hasParameters } from '../feed';
import { END, type Position, START } from '../position';
import { endsOf } from '../testing/read-feed';
import { Parent } from '../testing/streams';
import { BARE_FEED_QUERY, FEED_QUERY, HAS_QUERY, OLDEST_QUERY, STRANGE_QUERY } from './feed-queries';

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Node[];
}

const nodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodes)];

describe('the plan of a poll', () => {
  const PARTITIONS = 12;
  const LIMIT = 1000;
  let store: TestStore;
  let client: Client;
  let heads: Map<number, Position>;

  beforeAll(async () => {
    store = await createTestStore([Parent]);
    client = new Client(store.url);
    await client.connect();
    for (let transaction = 0; transaction < 10; transaction++) {
      await client.query(
        `insert into event_store.events (tenant_id, stream_id, version, epoch, partition, event_id, type,
           schema_version, data, metadata, recorded_at)
         select i % 50, gen_random_uuid(), 1, 1, i % 50 % ${PARTITIONS}, gen_random_uuid(), 'ParentOpened',
           1, '{"name": "one", "code": null}', '{}', now()
         from generate_series(1, 20000) i`,
      );
    }
    await client.query('analyze event_store.events');
    heads = await endsOf(store);
  });
  afterAll(async () => {
    await client.end();
    await store.close();
  });

  function explain(query: string, mode: string, cursors: Cursor[], limit: number): Promise<Node> {
    const all = [...feedParameters(cursors, limit, 1e9), ...(query === BARE_FEED_QUERY ? [[1, 2]] : [])];
    return explainWith(query, mode, all);
  }

  async function explainWith(query: string, mode: string, all: unknown[]): Promise<Node> {
    const values = all.map((value) =>
      Array.isArray(value) ? client.escapeLiteral(`{${value.join(',')}}`) : value,
    );
    await client.query(`set plan_cache_mode = ${mode}`);
    await client.query(`prepare feed as ${query}`);
    const { rows } = await client.query(`explain (analyze, format json) execute feed(${values.join(', ')})`);
    await client.query('deallocate feed');
    return rows[0]['QUERY PLAN'][0].Plan;
  }

  describe.each([
    ['for events with their data', FEED_QUERY],
    ['for events without the data of some tenants', BARE_FEED_QUERY],
  ])('%s', (_, query) => {
    it.each([
      ['with a backlog of 200,000 events', 'force_custom_plan', () => START, LIMIT],
      ['with a backlog of 200,000 events', 'force_generic_plan', () => START, LIMIT],
      ['at zero lag', 'force_custom_plan', (partition: number) => heads.get(partition)!, 0],
      ['at zero lag', 'force_generic_plan', (partition: number) => heads.get(partition)!, 0],
    ])('%s (%s) reads each partition in index order', async (__, mode, after, rows) => {
      const cursors = [...heads.keys()].map((partition) => ({ partition, after: after(partition) }));
      expect(cursors).toHaveLength(PARTITIONS);
      const plan = await explain(query, mode, cursors, LIMIT);

      const ofEvents = nodes(plan).filter((node) => node['Relation Name'] === 'events');
      expect(ofEvents).toHaveLength(1);
      expect(ofEvents[0]).toMatchObject({
        'Node Type': 'Index Scan',
        'Index Name': 'events_feed',
        'Index Cond': expect.stringMatching(/partition = .*ROW\(epoch, transaction_id, "position"\) >.*xmin/),
        'Actual Loops': PARTITIONS,
        // No more rows are read than are returned.
        'Actual Rows': rows,
      });
      const limit = nodes(plan).find(({ Plans }) => Plans?.includes(ofEvents[0]));
      expect(limit?.['Node Type']).toBe('Limit');
      expect(nodes(limit!).map((node) => node['Node Type'])).not.toContain('Sort');
    });
  });

  it.each([
    ['behind', 'force_custom_plan', () => START, 1],
    ['behind', 'force_generic_plan', () => START, 1],
    ['at zero lag', 'force_custom_plan', (partition: number) => heads.get(partition)!, 0],
    ['at zero lag', 'force_generic_plan', (partition: number) => heads.get(partition)!, 0],
  ])(
    'for the next event of several readers %s (%s) finds each by the index',
    async (_, mode, reached, rows) => {
      const cursors = [...heads.keys(), ...heads.keys()].map((partition) => ({
        partition,
        after: reached(partition),
      }));
      const plan = await explainWith(OLDEST_QUERY, mode, cursorParameters(cursors, 1));
      expect(nodes(plan).filter((node) => node['Relation Name'] === 'events')).toMatchObject([
        {
          'Node Type': 'Index Scan',
          'Index Name': 'events_feed',
          'Index Cond': expect.stringMatching(/partition = .*ROW\(epoch, transaction_id, "position"\) >/),
          'Actual Loops': 2 * PARTITIONS,
          'Actual Rows': rows,
        },
      ]);
    },
  );

  it.each(['force_custom_plan', 'force_generic_plan'])(
    'for the events that the store has (%s) finds each by the index',
    async (mode) => {
      const { rows } = await client.query(
        `select partition, epoch, transaction_id as "transactionId", position, stream_id as "streamId", version
         from event_store.events order by position limit 2000`,
      );
      const known = rows.map(({ epoch, transactionId, position, ...row }) => ({
        ...row,
        at: { epoch, transactionId: BigInt(transactionId), position: BigInt(position) },
      }));
      const [one] = known;
      const strangers = [
        { ...one, version: 2 },
        { ...one, streamId: 'x' },
        { ...one, partition: 99 },
        { ...one, at: END },
      ];
      expect(await store.feed.has([...strangers, ...known])).toEqual([
        ...strangers.map(() => false),
        ...known.map(() => true),
      ]);
      const plan = await explainWith(HAS_QUERY, mode, hasParameters(known));
      expect(nodes(plan).filter((node) => node['Relation Name'] === 'events')).toMatchObject([
        {
          'Node Type': 'Index Scan',
          'Index Name': 'events_feed',
          'Index Cond': expect.stringMatching(/partition = .*epoch = .*transaction_id = .*"position" = /),
          'Actual Loops': known.length,
          'Actual Rows': 1,
        },
      ]);
    },
  );

  it.each(['force_custom_plan', 'force_generic_plan'])(
    'for cursors that are at no event (%s) finds each by the index',
    async (mode) => {
      const known = [...heads].map(([partition, after]) => ({ partition, after }));
      const stranger = { partition: 0, after: END };
      const start = { partition: 0, after: START };
      expect(await store.feed.strange([start, ...known])).toBeUndefined();
      expect(await store.feed.strange([start, ...known, stranger])).toEqual(stranger);
      const plan = await explainWith(STRANGE_QUERY, mode, cursorParameters(known, 1));
      expect(nodes(plan).filter((node) => node['Relation Name'] === 'events')).toMatchObject([
        {
          'Node Type': expect.stringMatching(/^Index (Only )?Scan$/),
          'Index Name': 'events_feed',
          'Index Cond': expect.stringMatching(/partition = .*epoch = .*transaction_id = .*"position" = /),
          'Actual Loops': known.length,
          'Actual Rows': 1,
        },
      ]);
    },
  );
});
