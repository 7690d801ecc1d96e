import { openChild, openParent, renameParent } from '#event-store/testing/commands';
import { Child, Parent, Person } from '#event-store/testing/streams';
import { newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, openStore, type TestStore } from '../../../test/support/store';
import { derivedOf } from './testing/derived';

describe('streams rebuild', () => {
  let store: TestStore;
  let context: RequestContext;
  let other: RequestContext;

  beforeEach(async () => {
    store = await createTestStore([Parent, Child, Person]);
    context = await createContext(store);
    other = await createContext(store);
    for (let n = 0; n < 60; n++) await Promise.all([firm(context, n), firm(other, n)]);
  });
  afterEach(() => store.close());

  async function firm(at: RequestContext, n: number) {
    const { record } = await openParent(store.store, at, { code: `code ${n}` });
    await renameParent(store.store, at, record.id, `name ${n}`);
    await openChild(store.store, at, record.id as `client_${string}`);
    const named = { type: 'PersonNamed' as const, data: { fullName: `Ada ${n}`, title: 'Dr' } };
    await store.store.execute(at, async (work) => work.create(Person, newId('entity'), [named]));
  }

  const sql = (text: string, ...values: unknown[]) => store.writes.pool.query(text, values);
  const rebuild = (alias?: string) => derivedOf(store).rebuild.rebuild(alias);
  const verify = () => derivedOf(store).verifier.verify();

  /** All derived rows. States that were only encrypted again count as unchanged. */
  async function derived() {
    const streams = await sql(
      `select s.*, s.xmin, k.wrapped from event_store.streams s
       left join event_store.subject_keys k on k.tenant_id = s.tenant_id and k.subject = s.stream_id order by 1, 2`,
    );
    const links = await sql('select *, xmin from event_store.links order by 1, 2, 3, 4');
    const keys = await sql('select *, xmin from event_store.reservations order by 1, 2, 3');
    return { streams: streams.rows, links: links.rows, keys: keys.rows };
  }
  function opened({ streams, links, keys }: Awaited<ReturnType<typeof derived>>) {
    const plain = ({ xmin: _, ...row }: { xmin: string }) => row;
    return {
      streams: streams.map(({ xmin: _, state, wrapped, ...row }) => ({
        ...row,
        ...store.codec.decodeState(store.codec.definitions.ofKind(row.kind), { ...row, state, wrapped }),
      })),
      links: links.map(plain),
      keys: keys.map(plain),
    };
  }

  it('writes nothing when everything is right', async () => {
    const before = await derived();
    expect(await rebuild()).toEqual({ streams: 360, written: 0, removed: 0, differences: 0, findings: [] });
    expect(await derived()).toEqual(before);
  });

  it('restores all rows that are lost or wrong, and nothing else', async () => {
    const before = await derived();
    const [wrong, lost] = [before.streams[3], before.streams[8]];
    await sql(
      `update event_store.streams set state = '{"audit":{},"data":{}}' where stream_id = $1`,
      wrong.stream_id,
    );
    await sql('update event_store.streams set version = 9 where stream_id = $1', before.streams[4].stream_id);
    await sql('delete from event_store.streams where stream_id = $1', lost.stream_id);
    await sql('delete from event_store.links where source = $1', before.links[0].source);
    await sql(`insert into event_store.links values ($1, $2, 'odd', $2)`, context.tenant.id, wrong.stream_id);
    await sql(
      `update event_store.reservations set stream_id = gen_random_uuid() where stream_id = $1`,
      before.keys[0].stream_id,
    );
    await sql(
      `insert into event_store.reservations values ($1, 'odd', 'odd', gen_random_uuid())`,
      context.tenant.id,
    );
    await sql(
      `insert into event_store.streams values ($1, gen_random_uuid(), 'client', 1, '{}', 1)`,
      context.tenant.id,
    );
    const { written, removed, ...rest } = await rebuild();
    expect(rest).toEqual({ streams: 361, differences: 0, findings: [] });
    expect(written).toBeLessThanOrEqual(5);
    expect(removed).toBe(4);
    const after = await derived();
    expect(opened(after)).toEqual(opened(before));
    const unchanged = after.streams.filter((row, n) => row.xmin === before.streams[n].xmin);
    expect(unchanged).toHaveLength(357);
    expect(await verify()).toMatchObject({ differences: 0, outdated: 0 });
  });

  it('restores everything from the events alone', async () => {
    const before = await derived();
    await sql('truncate event_store.streams, event_store.links, event_store.reservations');
    expect(await rebuild()).toEqual({ streams: 360, written: 360, removed: 0, differences: 0, findings: [] });
    expect(opened(await derived())).toEqual(opened(before));
    expect(await verify()).toMatchObject({ differences: 0 });
  });

  it('restores one tenant, and leaves the others as they are', async () => {
    await sql('update event_store.streams set version = version + 1');
    expect(await rebuild(context.tenant.alias)).toMatchObject({ streams: 180, written: 180 });
    expect(await verify()).toMatchObject({ differences: 180 });
    await expect(rebuild('nobody')).rejects.toMatchObject({ code: 'tenant_not_found' });
  });

  it('folds states of an earlier fold version again', async () => {
    const later = openStore(store.url, [{ ...Parent, foldVersion: 2 }, Child, Person]);
    try {
      const { rebuild: again, verifier } = derivedOf(later);
      expect(await again.rebuild()).toMatchObject({ written: 120 });
      expect(await verifier.verify()).toMatchObject({ outdated: 0, differences: 0 });
    } finally {
      await later.close();
    }
  });

  it('keeps a person whose key is destroyed erased', async () => {
    const { rows } = await sql(`select stream_id from event_store.streams where kind = 'entity' limit 1`);
    await sql('update event_store.subject_keys set wrapped = null where subject = $1', rows[0].stream_id);
    await sql(
      `update event_store.streams set version = 5, state = '{}' where stream_id = $1`,
      rows[0].stream_id,
    );
    expect(await rebuild()).toMatchObject({ written: 1, differences: 0 });
    const kept = await sql(
      'select version, state from event_store.streams where stream_id = $1',
      rows[0].stream_id,
    );
    expect(kept.rows[0]).toMatchObject({ version: 1, state: { data: { fullName: 'Erased', title: 'Dr' } } });
    expect(await verify()).toMatchObject({ differences: 0 });
  });

  describe('reports what it cannot mend, and does not change it:', () => {
    /** Runs a rebuild that must change no row. Returns its findings by stream. */
    async function untouched() {
      const before = await derived();
      const { findings, written } = await rebuild();
      expect(written).toBe(0);
      expect(await derived()).toEqual(before);
      return Object.fromEntries(findings.map(({ stream, what }) => [stream, what]));
    }

    it.each([true, false])(
      'a natural key that two streams claim (reserved for one: %s)',
      async (reserved) => {
        const first = (await openParent(store.store, context, { code: 'twice' })).record.id;
        await sql(`delete from event_store.reservations where key = 'twice'`);
        const second = (await openParent(store.store, context, { code: 'twice' })).record.id;
        if (!reserved) await sql(`delete from event_store.reservations where key = 'twice'`);
        await sql('update event_store.streams set version = 7 where stream_id = $1', toUuid(first));
        expect(await untouched()).toEqual({
          [first]: `its code is claimed by ${second} too`,
          [second]: `its code is claimed by ${first} too`,
        });
      },
    );

    it('damaged events', async () => {
      const { rows } = await sql(`select stream_id from event_store.streams where kind = 'client' limit 2`);
      const [gap, odd] = rows.map(({ stream_id }) => stream_id as string);
      await sql('delete from event_store.events where version = 1 and stream_id = $1', gap);
      await sql(`update event_store.events set schema_version = 5 where version = 2 and stream_id = $1`, odd);
      await sql('delete from event_store.links where target = any($1::uuid[])', [gap, odd]);
      await rebuild();
      await sql('update event_store.streams set version = 7 where stream_id = any($1::uuid[])', [gap, odd]);
      await sql('delete from event_store.reservations where stream_id = any($1::uuid[])', [gap, odd]);
      expect(Object.values(await untouched()).sort()).toEqual([
        'event 1 is missing: event 2 stands in its place',
        'event 2 (ParentRenamed) cannot be read: a newer program wrote it',
      ]);
    });
  });

  it('runs beside writers, who wait for one chunk at most', async () => {
    let writing = true;
    let longest = 0;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; writing; n++) {
        const began = performance.now();
        const { record } = await openParent(store.store, context, { code: `${writer}-${n}` });
        await openChild(store.store, context, record.id as `client_${string}`);
        await renameParent(store.store, context, record.id, `${n}`);
        longest = Math.max(longest, performance.now() - began);
      }
    });
    for (let round = 0; round < 3; round++) {
      // Only states: without its reservations a store would let two streams have the same key.
      await sql(`update event_store.streams set state = '{"audit":{},"data":{}}' where kind = 'entity'`);
      await sql('delete from event_store.links where tenant_id = $1', other.tenant.id);
      expect(await rebuild()).toMatchObject({ differences: 0 });
    }
    writing = false;
    await Promise.all(writers);
    expect(longest).toBeLessThan(2_000);
    expect(await verify()).toMatchObject({ differences: 0 });
  });
});
