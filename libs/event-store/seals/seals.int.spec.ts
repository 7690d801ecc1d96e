import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { START } from '#event-store/position';
import { openParent } from '#event-store/testing/commands';
import { Parent } from '#event-store/testing/streams';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { eventsOf, type SealsOf, sealsOf, writeThree } from './testing/sealed-store';

const sha256 = (...parts: (string | Buffer)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

describe('seals', () => {
  let store: TestStore;
  let context: RequestContext;
  let sealed: SealsOf;
  beforeEach(async () => {
    store = await createTestStore([Parent]);
    context = await createContext(store);
    sealed = sealsOf(store);
  });
  afterEach(() => store.close());

  const rows = async (text: string, values: unknown[] = []) =>
    (await store.writes.pool.query(text, values)).rows;

  const feedShows = (count: number) =>
    waitFor(
      async () => {
        const cursor = { partition: context.tenant.partition, after: START };
        return (await store.feed.page([cursor], 1000)).events.length === count;
      },
      { description: `the feed to show ${count} events` },
    );
  const somebodyWaits = () =>
    waitFor(
      async () => {
        const waiting = await rows(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      },
      { description: 'a session to wait for a lock' },
    );

  it('chain blocks of digests that anybody can compute', async () => {
    const other = await createContext(store);
    for (const name of ['one', 'two', 'three']) {
      await writeThree(store, context, name);
      await writeThree(store, other, name);
      await sealed.sealAll();
    }
    for (const { tenant } of [context, other]) {
      const digests = (
        await rows(
          `select concat_ws(e'\\n', tenant_id, stream_id, version, position, transaction_id, epoch, partition, event_id,
             schema_version, extract(epoch from recorded_at), data, metadata, type) as text
           from event_store.events where tenant_id = $1 order by epoch, transaction_id, position`,
          [tenant.id],
        )
      ).map(({ text }) => sha256(text));
      const blocks = await rows(
        `select *, after::text, up_to::text, extract(epoch from sealed_at) as sealed_at from event_store.seals
         where tenant_id = $1 order by number`,
        [tenant.id],
      );
      expect(blocks.length).toBeGreaterThanOrEqual(3);
      expect(Buffer.concat(blocks.flatMap((block) => block.digests))).toEqual(Buffer.concat(digests));
      let before = { up_to: '(0,0,0)', seal: Buffer.alloc(0) };
      for (const [index, block] of blocks.entries()) {
        expect(block).toMatchObject({ number: index + 1, after: before.up_to, previous: before.seal });
        const text = [
          ...[tenant.id, index + 1, block.after, block.up_to, block.digests.length, block.sealed_at],
          ...[block.stream_ids.join(','), block.versions.join(','), ''],
        ];
        expect(block.seal).toEqual(sha256(before.seal, text.join('\n'), ...block.digests));
        before = block;
      }
    }
  });

  it('depend on every column of an event', async () => {
    await openParent(store.store, context);
    const columns = await rows(
      `select column_name as name, data_type as type from information_schema.columns
       where table_schema = 'event_store' and table_name = 'events'`,
    );
    const others: Record<string, string> = {
      uuid: 'gen_random_uuid()',
      xid8: `'7'::xid8`,
      text: `'Other'`,
      jsonb: `'{"other": 1}'`,
      'timestamp with time zone': `'2001-02-03T04:05:06.000001Z'`,
    };
    expect(columns.length).toBeGreaterThan(12);
    for (const { name, type } of columns) {
      const select = columns.map((column) =>
        column.name === name ? (others[type] ?? '4711') : `e.${column.name}`,
      );
      const [{ same }] = await rows(
        `select event_store.digest(row(${select})::event_store.events) = event_store.digest(e) as same
         from event_store.events e`,
      );
      expect([name, same]).toEqual([name, false]);
    }
  });

  it('are the same whatever the settings of a session', async () => {
    for (const name of ['ünïcode', 'ünïcode as well']) {
      await writeThree(store, context, name);
      await sealed.sealAll();
    }
    const client = new Client(store.url);
    await client.connect();
    const settings = {
      timezone: 'Australia/Sydney',
      datestyle: 'German, DMY',
      bytea_output: 'escape',
      client_encoding: 'latin1',
      search_path: 'event_store',
    };
    for (const [name, value] of Object.entries(settings))
      await client.query('select set_config($1, $2, false)', [name, value]);
    const { rows } = await client.query(
      `select count(*) > 0 and bool_and(s.seal = event_store.seal_of(s)) as seals,
         array_agg(d.digest order by s.number, d.place) = (
           select array_agg(event_store.digest(e) order by e.position) from event_store.events e) as digests
       from event_store.seals s, unnest(s.digests) with ordinality as d(digest, place)`,
    );
    await client.end();
    expect(rows).toEqual([{ seals: true, digests: true }]);
  });

  it('leave out what an open transaction holds back, until its commit', async () => {
    const client = new Client(store.url);
    await client.connect();
    await client.query('begin');
    await client.query(
      `insert into event_store.events (tenant_id, stream_id, version, epoch, partition, event_id, type, schema_version,
         data, metadata, recorded_at)
       values ($1, gen_random_uuid(), 1, 1, $2, gen_random_uuid(), 'ParentOpened', 1, '{}', '{}', now())`,
      [context.tenant.id, context.tenant.partition],
    );
    await openParent(store.store, context, { name: 'late' });
    expect(await sealed.seals.sealNow()).toBe(0);
    expect(await sealed.proofOf(context)).toMatchObject({ sealed: 0, unsealed: 1, problem: null });
    await client.query('commit');
    await client.end();
    await sealed.sealAll();
    expect(await sealed.proofOf(context)).toMatchObject({ sealed: 2, unsealed: 0, problem: null });
  });

  it('leave out an event that is not in the partition of its tenant', async () => {
    const { id, partition } = context.tenant;
    await openParent(store.store, context);
    await rows('update event_store.events set partition = $1', [(partition + 1) % 12]);
    await openParent(store.store, context);
    await waitFor(async () => (await sealed.seals.sealNow()) > 0, {
      description: 'the other event to be sealed',
    });
    const [first] = await eventsOf(store, context);
    expect((await sealed.proofOf(context)).problem).toMatchObject({
      kind: 'inserted',
      event: { streamId: first.stream_id, version: 1 },
    });
    expect(await rows('select events from event_store.seals where tenant_id = $1', [id])).toEqual([
      { events: 1 },
    ]);
  });

  it.each([
    ['commits', 'commit', 0],
    ['is undone', 'rollback', 3],
  ])(
    'wait for another transaction that seals the same partition, and go on when it %s',
    async (_, end, left) => {
      await writeThree(store, context, 'one');
      await feedShows(3);
      const client = new Client(store.url);
      await client.connect();
      await client.query('begin');
      await client.query('select event_store.seal($1::smallint, 1000)', [context.tenant.partition]);
      const second = sealed.seals.sealNow();
      await somebodyWaits();
      await client.query(end);
      await client.end();
      expect(await second).toBe(left);
      expect(await sealed.proofOf(context)).toMatchObject({ sealed: 3, problem: null });
    },
  );

  it('are not committed when another has moved their checkpoint', async () => {
    await writeThree(store, context, 'one');
    await sealed.sealAll();
    await writeThree(store, context, 'two');
    await feedShows(6);
    const client = new Client(store.url);
    await client.connect();
    await client.query('begin');
    await client.query(`update event_store.seal_checkpoints set reached = '(1,2,3)'`);
    const refused = expect(sealed.seals.sealNow()).rejects.toThrow('was moved meanwhile');
    await somebodyWaits();
    await client.query('commit');
    await client.end();
    await refused;
    expect(await sealed.proofOf(context)).toMatchObject({ sealed: 3, unsealed: 3, problem: null });
    await sealed.sealAll();
    expect(await sealed.proofOf(context)).toMatchObject({ sealed: 6, problem: null });
  });

  it('contain no event twice, however many processes seal at once', async () => {
    const contexts = [context, await createContext(store), await createContext(store)];
    const events = 3 * 30;
    let total = 0;
    const sealers = Array.from({ length: 4 }, async () => {
      while (total < events) {
        const more = await sealed.seals.sealNow();
        total += more;
      }
    });
    for (let round = 0; round < 10; round++) {
      await Promise.all(contexts.map((each) => writeThree(store, each, `round ${round}`)));
    }
    await Promise.all(sealers);
    expect(total).toBe(events);
    for (const proof of await sealed.verify())
      expect(proof).toMatchObject({ sealed: 30, unsealed: 0, problem: null });
  });

  it('are listed with the latest of each tenant, and refused for an unknown tenant', async () => {
    await createContext(store);
    await writeThree(store, context, 'one');
    await sealed.sealAll();
    const last = (await eventsOf(store, context)).at(-1)!;
    expect(await sealed.seals.heads()).toEqual([
      {
        tenant: context.tenant.alias,
        tenantId: context.tenant.id,
        number: expect.any(Number),
        seal: expect.stringMatching(/^[0-9a-f]{64}$/),
        position: `1.${last.transaction_id}.${last.position}`,
        events: 3,
        sealedOn: expect.any(Date),
      },
    ]);
    await expect(sealed.seals.heads('nobody')).rejects.toMatchObject({ code: 'tenant_not_found' });
    await expect(sealed.verify('nobody')).rejects.toMatchObject({ code: 'tenant_not_found' });
  });
});
