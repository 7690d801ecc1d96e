import { Client } from 'pg';
import { newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../test/support/store';
import { waitFor } from '../../test/support/wait-for';
import { type AppendJob, claimsOf } from './append-job';
import { APPEND_SQL, appendParameters } from './append-parameters';
import type { RecordedEvent } from './events';
import {
  BARE_FEED_QUERY,
  type Cursor,
  FEED_QUERY,
  feedParameters,
  HAS_QUERY,
  hasParameters,
  OLDEST_QUERY,
} from './feed';
import { comparePositions, END, type Position, START } from './position';
import { openParent } from './testing/commands';
import { endsOf } from './testing/read-feed';
import { Parent, parentOpened } from './testing/streams';

/** A new stream of one event, as a command would append it. */
function newStream({ tenant }: RequestContext, name: string): AppendJob {
  const stream = toUuid(newId('client'));
  const { type, data } = parentOpened(name, null);
  return {
    tenantId: tenant.id,
    partition: tenant.partition,
    at: new Date(),
    metadata: JSON.stringify({ actor: 'test', correlationId: 'test', source: 'rest' }),
    streams: [{ stream, kind: Parent.kind, expected: 0, version: 1, stateVersion: 1, state: '{}' }],
    events: [
      { stream, version: 1, id: toUuid(newId('client')), type, schema: 1, data: JSON.stringify(data) },
    ],
    guards: [],
    sections: {},
  };
}

/** A connection whose appends wait to be committed. */
class Writer {
  private readonly client: Client;
  private open?: string;

  constructor(url: string) {
    this.client = new Client(url);
  }

  connect = () => this.client.connect();
  disconnect = () => this.client.end();

  async begin(context: RequestContext, name: string): Promise<void> {
    const job = newStream(context, name);
    await this.client.query('begin');
    await this.client.query(APPEND_SQL, appendParameters([job], [claimsOf(job)]));
    this.open = name;
  }

  /** @returns the name that was open, if any */
  async end(how: 'commit' | 'rollback'): Promise<string | undefined> {
    const { open } = this;
    this.open = undefined;
    await this.client.query(how);
    return open;
  }

  get isOpen(): boolean {
    return this.open !== undefined;
  }
}

const nameOf = ({ event }: RecordedEvent) => (event.data as { name: string }).name;

describe('the feed', () => {
  let store: TestStore;
  let writers: Writer[];
  beforeEach(async () => {
    store = await createTestStore([Parent]);
    writers = Array.from({ length: 6 }, () => new Writer(store.url));
    await Promise.all(writers.map((writer) => writer.connect()));
  });
  afterEach(async () => {
    await Promise.all(writers.map((writer) => writer.disconnect()));
    await store.close();
  });

  const everything = (context: RequestContext) =>
    store.feed.read([{ partition: context.tenant.partition, after: START }], 1000);

  it.each([
    ['commit', ['early', 'late']],
    ['rollback', ['late']],
  ] as const)('is held back by an open transaction until its %s', async (how, names) => {
    const context = await createContext(store);
    await writers[0].begin(context, 'early');
    await openParent(store.store, context, { name: 'late' });
    const { rowCount } = await store.writes.pool.query('select from event_store.events');
    // Who read what is committed now, and went on behind it, would never see the early one.
    expect(rowCount).toBe(1);
    expect(await everything(context)).toEqual([]);

    await writers[0].end(how);
    let events: RecordedEvent[] = [];
    await waitFor(async () => (events = await everything(context)).length === names.length, {
      description: 'the feed to go on',
    });
    expect(events.map(nameOf)).toEqual(names);
  });

  it('leaves out the data of those of whom it is not wanted, and nothing else', async () => {
    const contexts = await Promise.all([1, 2].map(() => createContext(store)));
    for (const [index, context] of contexts.entries())
      await openParent(store.store, context, { name: `parent ${index}` });
    const partitions = new Set(contexts.map(({ tenant }) => tenant.partition));
    const cursors = [...partitions].map((partition) => ({ partition, after: START }));
    const bare = contexts[1].tenant.id;
    let all: RecordedEvent[] = [];
    await waitFor(async () => (all = await store.feed.read(cursors, 1000)).length === 2, {
      description: 'both events',
    });
    expect(await store.feed.read(cursors, 1000, [bare])).toEqual(
      all.map((recorded) =>
        recorded.tenantId === bare ? { ...recorded, event: { ...recorded.event, data: {} } } : recorded,
      ),
    );
  });

  it('shows a polling reader each event once and in order, however transactions overlap', async () => {
    const contexts = await Promise.all([1, 2, 3].map(() => createContext(store)));
    const committed: string[] = [];
    const end = async (writer: Writer, how: 'commit' | 'rollback') => {
      const name = await writer.end(how);
      if (name && how === 'commit') committed.push(name);
    };
    let writing = true;
    const seen: RecordedEvent[] = [];
    const cursors = new Map<number, Cursor>();
    for (const partition of await store.feed.partitions())
      cursors.set(partition, { partition, after: START });
    const reading = waitFor(
      async () => {
        const events = await store.feed.read([...cursors.values()], 7);
        for (const { partition, at } of events) cursors.set(partition, { partition, after: at });
        seen.push(...events);
        return !writing && seen.length >= committed.length;
      },
      { description: 'the reader to see every event' },
    );

    let count = 0;
    for (let step = 0; step < 200; step++) {
      // The first writer's transactions are short, the last one's overlap many of the others'.
      for (const writer of writers.filter((_, number) => step % (number + 1) === 0)) {
        if (writer.isOpen) await end(writer, count % 5 === 0 ? 'rollback' : 'commit');
        else await writer.begin(contexts[count % 3], `event ${++count}`);
      }
    }
    for (const writer of writers) await end(writer, 'commit');
    writing = false;
    await reading;

    expect(committed.length).toBeGreaterThan(150);
    expect(committed.length).toBeLessThan(count);
    expect(seen.map(nameOf).sort()).toEqual(committed.sort());
    const last = new Map<number, Position>();
    for (const { partition, at } of seen) {
      expect(comparePositions(at, last.get(partition) ?? START)).toBeGreaterThan(0);
      last.set(partition, at);
    }
  });
});

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
    const all = [...feedParameters(cursors, limit), ...(query === BARE_FEED_QUERY ? [[1, 2]] : [])];
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
    ['of all', FEED_QUERY],
    ['without the data of some', BARE_FEED_QUERY],
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
        // No more is read than is answered.
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
    'of several readers %s (%s) finds the next event of each by the index',
    async (_, mode, reached, rows) => {
      const cursors = [...heads.keys(), ...heads.keys()].map((partition) => ({
        partition,
        after: reached(partition),
      }));
      const plan = await explain(OLDEST_QUERY, mode, cursors, 1);
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
    'of the store for what it has (%s) finds each by the index',
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
});
