import { openChild, openParent, renameParent } from '#event-store/testing/commands';
import { Child, Parent, Person } from '#event-store/testing/streams';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, openStore, type TestStore } from '../../../test/support/store';
import { derivedOf } from './testing/derived';

describe('streams verify', () => {
  let store: TestStore;
  let context: RequestContext;
  let parent: string;
  let child: string;
  let person: string;

  beforeEach(async () => {
    store = await createTestStore([Parent, Child, Person]);
    context = await createContext(store);
    const opened = await openParent(store.store, context, { name: 'secret name', code: 'secret key' });
    await renameParent(store.store, context, opened.record.id, 'another secret');
    parent = opened.record.id;
    child = (await openChild(store.store, context, parent as `client_${string}`)).record.id;
    person = newId('entity');
    const named = { type: 'PersonNamed' as const, data: { fullName: 'Ada Secret', title: 'Dr' } };
    await store.store.execute(context, async (work) =>
      work.create(Person, person as `entity_${string}`, [named]),
    );
  });
  afterEach(() => store.close());

  const verify = (alias?: string) => derivedOf(store).verifier.verify(alias);
  const sql = (text: string, ...ids: string[]) => store.writes.pool.query(text, ids.map(toUuid));

  /** The findings, after checking that they contain no data of records. */
  async function found(): Promise<string[][]> {
    const { findings, differences } = await verify();
    expect(findings).toHaveLength(differences);
    expect(JSON.stringify(findings)).not.toMatch(/secret/i);
    for (const { tenant } of findings) expect(tenant).toBe(context.tenant.alias);
    return findings.map(({ stream, what }) => [stream, what]);
  }

  it('finds nothing where nothing is wrong', async () => {
    const clean = { streams: 3, outdated: 0, differences: 0, findings: [] };
    expect(await verify()).toEqual(clean);
    expect(await verify(context.tenant.alias)).toEqual(clean);
    const other = await createContext(store);
    expect(await verify(other.tenant.alias)).toEqual({ ...clean, streams: 0 });
    await expect(verify('nobody')).rejects.toMatchObject({ code: 'tenant_not_found' });
  });

  it.each([
    ['the version', 'version = version + 1', 'it is kept at version 3, its events end at 2'],
    ['the kind', "kind = 'matter'", 'it is kept as matter'],
    ['a newer fold version', 'state_version = 9', "its state is of fold version 9, this program's is 1"],
    ['a field', `state = replace(state::text, 'another', 'no')::json`, 'its state differs in name'],
    [
      'an extra field',
      `state = replace(state::text, '"active"', '"extra":1,"active"')::json`,
      'its state differs in extra',
    ],
    [
      'an audit field',
      `state = replace(state::text, 'updatedBy', 'x')::json`,
      'its state differs in updatedBy, x',
    ],
    ['an unreadable state', `state = '{}'`, 'its state cannot be read'],
  ])('finds a stored row that differs from its events: %s', async (_, set, what) => {
    await sql(`update event_store.streams set ${set} where stream_id = $1`, parent);
    expect(await found()).toEqual([[parent, what]]);
  });

  it('finds personal fields that differ, but not the same fields in another encryption', async () => {
    const { rows } = await sql('select wrapped from event_store.subject_keys where subject = $1', person);
    const key = store.keys.unwrap(rows[0].wrapped);
    const seal = (fullName: string) => store.keys.seal(key, toUuid(person), { fullName });
    const put = (fullName: string) =>
      store.writes.pool.query(
        `update event_store.streams set state = (state::jsonb || jsonb_build_object('sealed', $2::text))::json where stream_id = $1`,
        [toUuid(person), seal(fullName)],
      );
    await put('Ada Secret');
    expect(await found()).toEqual([]);
    await put('Eve Secret');
    expect(await found()).toEqual([[person, 'its state differs in fullName']]);
  });

  it('folds a person whose key is destroyed with the erased values', async () => {
    await sql('update event_store.subject_keys set wrapped = null where subject = $1', person);
    expect(await found()).toEqual([]);
  });

  it('only notes a state of an earlier fold version', async () => {
    const later = openStore(store.url, [{ ...Parent, foldVersion: 2 }, Child, Person]);
    try {
      expect(await derivedOf(later).verifier.verify()).toEqual({
        streams: 3,
        outdated: 1,
        differences: 0,
        findings: [],
      });
    } finally {
      await later.close();
    }
  });

  it('finds a stream without events, and events without a stream', async () => {
    await sql('delete from event_store.events where stream_id = $1', person);
    await sql('delete from event_store.streams where stream_id = $1', child);
    expect(await found()).toEqual([
      [child, 'it has events, and no row in streams'],
      [person, 'it has no events, and is kept as entity'],
    ]);
  });

  it.each([
    [
      'missing',
      'delete from event_store.events where stream_id = $1 and version = 1',
      'event 1 is missing: event 2 stands in its place',
    ],
    [
      'of an unknown type',
      `update event_store.events set type = 'Odd' where stream_id = $1 and version = 2`,
      'event 2 (Odd) cannot be read: its type is unknown',
    ],
    [
      'of a newer program',
      'update event_store.events set schema_version = 7 where stream_id = $1 and version = 2',
      'event 2 (ParentRenamed) cannot be read: a newer program wrote it',
    ],
    [
      'of another kind',
      `update event_store.events set type = 'ChildClosed' where stream_id = $1 and version = 2`,
      'event 2 (ChildClosed) belongs to another kind of stream',
    ],
  ])('finds an event %s', async (_, change, what) => {
    await sql(change, parent);
    expect(await found()).toEqual([[parent, what]]);
  });

  it('finds an event whose sealed fields do not open', async () => {
    await sql(
      `update event_store.events set data = data || '{"sealed": "AAAA"}' where stream_id = $1`,
      person,
    );
    expect(await found()).toEqual([
      [person, 'event 1 (PersonNamed) cannot be read: its sealed fields do not open'],
    ]);
  });

  it('finds links and reservations that are missing, and those that come from no event', async () => {
    await sql('delete from event_store.links where source = $1', child);
    await sql('update event_store.reservations set stream_id = $2 where stream_id = $1', parent, child);
    const { id } = context.tenant;
    await store.writes.pool.query(`insert into event_store.links values ($1, $2, 'odd', $2)`, [
      id,
      toUuid(parent),
    ]);
    const lost = '00000000-0000-7000-8000-000000000001';
    await store.writes.pool.query(`insert into event_store.reservations values ($1, 'odd', 'secret', $2)`, [
      id,
      lost,
    ]);
    expect(await found()).toEqual([
      [parent, `its code is reserved for ${child.replace('matter', 'client')}`],
      [child, 'its link open_child is missing'],
      [parent, 'no event gives it its link odd'],
      [child, 'no event gives it the code that is reserved for it'],
      [lost, 'no event gives it the odd that is reserved for it'],
    ]);
    await sql('delete from event_store.reservations');
    expect(await found()).toContainEqual([parent, 'its code is not reserved']);
  });

  it('lists the first hundred findings, and counts all of them', async () => {
    await store.writes.pool.query(
      `insert into event_store.links (tenant_id, target, kind, source)
       select $1, gen_random_uuid(), 'odd', gen_random_uuid() from generate_series(1, 2500)`,
      [context.tenant.id],
    );
    const { differences, findings } = await verify();
    expect([differences, findings.length]).toEqual([2500, 100]);
  });

  it('folds streams of more events than it holds in memory, page by page, of all tenants or of one', async () => {
    const long: DomainEvent[] = Array.from({ length: 2_300 }, (_, n) => ({
      type: 'ParentRenamed',
      data: { name: `${n}` },
    }));
    const other = await createContext(store);
    await store.store.execute(other, async (work) => {
      const opened = { type: 'ParentOpened', data: { name: 'x', code: null } };
      return work.create(Parent as StreamDefinition<object, DomainEvent>, newId('client'), [opened, ...long]);
    });
    for (let made = 0; made < 3; made++) {
      await Promise.all(Array.from({ length: 150 }, () => openParent(store.store, other)));
    }
    expect(await verify()).toMatchObject({ streams: 454, differences: 0 });
    await store.writes.pool.query('delete from event_store.streams where tenant_id = $1', [other.tenant.id]);
    expect(await verify()).toMatchObject({ streams: 454, differences: 451 });
    expect(await verify(context.tenant.alias)).toMatchObject({ streams: 3, differences: 0 });
  });

  it('finds nothing while others write', async () => {
    let writing = true;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; writing; n++) {
        const { record } = await openParent(store.store, context, { code: `${writer}-${n}` });
        await openChild(store.store, context, record.id as `client_${string}`);
        await renameParent(store.store, context, record.id, `${n}`);
      }
    });
    for (let round = 0; round < 5; round++) expect(await verify()).toMatchObject({ differences: 0 });
    writing = false;
    await Promise.all(writers);
  });
});
