import fc from 'fast-check';
import { Epochs } from '#event-store/epochs';
import { openParent } from '#event-store/testing/commands';
import type { RequestContext } from '#platform/request-context';
import type { TestStore } from '../../../test/support/store';
import {
  CHANGE,
  createSealedStore,
  type SealsOf,
  type StoredEvent,
  writeThree,
} from './testing/sealed-store';

/** Inserts a copy of an event after it in the feed, as an event of another stream. */
const INSERT_BEHIND = `insert into event_store.events overriding system value
  select tenant_id, gen_random_uuid(), version, 1000000, transaction_id, epoch, partition, gen_random_uuid(), type,
    schema_version, data, metadata, recorded_at
  from event_store.events where position = $1`;
const REMOVE = 'delete from event_store.events where position = $1';

describe('the verification of seals', () => {
  let store: TestStore;
  let context: RequestContext;
  let other: RequestContext;
  let sealed: SealsOf;
  let events: StoredEvent[];
  beforeEach(async () => {
    ({ store, context, other, sealed, events } = await createSealedStore());
  });
  afterEach(() => store.close());

  const sql = (text: string, values: unknown[] = []) => store.writes.pool.query(text, values);
  const at = (index: number) => events[index].position;
  const named = ({ stream_id, version }: StoredEvent) =>
    expect.objectContaining({ streamId: stream_id, version });

  it('finds an untouched store intact, and counts what is not sealed yet', async () => {
    const whole = { blocks: expect.any(Number), sealed: 9, problem: null };
    expect(await sealed.verify()).toEqual(
      [context, other]
        .map(({ tenant }) => ({ tenant: tenant.alias, ...whole, unsealed: 0, unsealedSince: null }))
        .sort((a, b) => a.tenant.localeCompare(b.tenant)),
    );
    const before = new Date();
    await writeThree(store, context, 'tail');
    expect(await sealed.proofOf(context)).toMatchObject({ ...whole, unsealed: 3, problem: null });
    const { unsealedSince } = await sealed.proofOf(context);
    expect(unsealedSince!.getTime()).toBeGreaterThanOrEqual(before.getTime());
    await sealed.sealAll();
    expect(await sealed.proofOf(context)).toMatchObject({ sealed: 12, unsealed: 0, problem: null });
  });

  const setting = (assignment: string) => `update event_store.events set ${assignment} where position = $1`;
  it.each<[string, (tamper: typeof sql) => Promise<unknown>, 'changed' | 'removed', number]>([
    [
      'one byte of its data was changed',
      (db) => db(setting(`data = replace(data::text, 'two', 'twp')::jsonb`), [at(3)]),
      'changed',
      3,
    ],
    [
      'its metadata were changed',
      (db) => db(setting(`metadata = metadata || '{"actor": "nobody"}'`), [at(4)]),
      'changed',
      4,
    ],
    [
      'its time was changed by a microsecond',
      (db) => db(setting(`recorded_at = recorded_at + interval '1 us'`), [at(5)]),
      'changed',
      5,
    ],
    ['its type was changed', (db) => db(setting(`type = 'ParentClosed'`), [at(5)]), 'changed', 5],
    [
      'its partition was changed',
      (db) => db(setting('partition = (partition + 1) % 12'), [at(4)]),
      'changed',
      4,
    ],
    [
      'it was moved behind everything',
      (db) => db(setting('transaction_id = pg_current_xact_id()'), [at(4)]),
      'changed',
      4,
    ],
    ['it was deleted', (db) => db(REMOVE, [at(4)]), 'removed', 4],
    ['the first event was deleted', (db) => db(REMOVE, [at(0)]), 'removed', 0],
    ['the last event was deleted', (db) => db(REMOVE, [at(8)]), 'removed', 8],
    [
      'all events were deleted',
      (db) => db('delete from event_store.events where tenant_id = $1', [context.tenant.id]),
      'removed',
      0,
    ],
    ['its version was changed', (db) => db(setting('version = 99'), [at(4)]), 'removed', 4],
    [
      'two events have swapped their places',
      async (db) => {
        const [a, b] = [events[2], events[6]];
        const move = (from: string, to: { transaction_id: string; position: string }) =>
          db(setting('transaction_id = $2, position = $3'), [from, to.transaction_id, to.position]);
        await db('alter table event_store.events alter position drop identity');
        await move(a.position, { transaction_id: '1', position: '-1' });
        await move(b.position, a);
        await move('-1', b);
      },
      'changed',
      2,
    ],
    [
      'two events have swapped their data',
      (db) =>
        db(
          `update event_store.events e set data = o.data from event_store.events o
           where (e.position, o.position) in (($1::bigint, $2::bigint), ($2, $1))`,
          [at(1), at(4)],
        ),
      'changed',
      1,
    ],
    [
      'it was given to another tenant',
      (db) => db(setting(`tenant_id = ${other.tenant.id}`), [at(4)]),
      'removed',
      4,
    ],
    [
      'it was given to a tenant that does not exist',
      (db) => db(setting('tenant_id = 4711'), [at(4)]),
      'removed',
      4,
    ],
    [
      'it is the first of several',
      async (db) => {
        await db(CHANGE, [at(7)]);
        await db(INSERT_BEHIND, [at(5)]);
        await db(REMOVE, [at(2)]);
      },
      'removed',
      2,
    ],
  ])('names the event that is wrong: %s', async (_, tamper, kind, index) => {
    await tamper(sql);
    const { problem } = await sealed.proofOf(context);
    expect(problem).toMatchObject({ kind, block: expect.any(Number), event: named(events[index]) });
    expect(problem!.message).toContain(
      `Version ${events[index].version} of stream ${events[index].stream_id} (`,
    );
    expect(problem!.event!.position === null).toBe(kind === 'removed');
  });

  it('names an inserted event, with its place, id and type', async () => {
    await sql(INSERT_BEHIND, [at(4)]);
    const { problem } = await sealed.proofOf(context);
    expect(problem).toEqual({
      kind: 'inserted',
      block: null,
      event: {
        streamId: expect.not.stringContaining(events[4].stream_id),
        version: events[4].version,
        position: `1.${events[4].transaction_id}.1000000`,
        eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: 'ParentRenamed',
      },
      message: expect.stringContaining('was inserted'),
    });
    expect((await sealed.proofOf(other)).problem).toBeNull();
  });

  it('names an event that was given to another tenant in that tenant too, and a tenant that does not exist', async () => {
    await sql(`update event_store.events set tenant_id = $2 where position = $1`, [at(4), other.tenant.id]);
    expect((await sealed.proofOf(other)).problem).toMatchObject({
      kind: 'inserted',
      event: named(events[4]),
    });
    await sql(`update event_store.events set tenant_id = 4711 where position = $1`, [at(4)]);
    expect((await sealed.proofOf(other)).problem).toBeNull();
    expect(await sealed.verify()).toContainEqual(
      expect.objectContaining({
        tenant: '#4711',
        problem: expect.objectContaining({ kind: 'tenant_unknown' }),
      }),
    );
  });

  it('goes on across a new epoch', async () => {
    await new Epochs(store.writes).open();
    await openParent(store.store, context, { name: 'next epoch' });
    await sealed.sealAll();
    expect(await sealed.proofOf(context)).toMatchObject({ sealed: 10, unsealed: 0, problem: null });
    expect((await sealed.seals.heads(context.tenant.alias))[0]).toMatchObject({
      events: 10,
      position: expect.stringMatching(/^2\./),
    });
  });

  it('names the first of any changes, in feed order', async () => {
    await sql('create table backup as select * from event_store.events');
    const indexes = (max: number) => fc.uniqueArray(fc.integer({ min: 0, max }), { maxLength: 3 });
    const tampering = fc
      .record({ changed: indexes(8), removed: indexes(8), inserted: indexes(7) })
      // When the second of two neighbours is removed, nothing shows whether an insertion between them came before it.
      .filter(({ removed, inserted }) => inserted.every((index) => !removed.includes(index + 1)));
    await fc.assert(
      fc.asyncProperty(tampering, async ({ changed, removed, inserted }) => {
        await sql('truncate event_store.events');
        await sql('insert into event_store.events overriding system value select * from backup');
        for (const index of changed) await sql(CHANGE, [at(index)]);
        for (const index of inserted) await sql(INSERT_BEHIND, [at(index)]);
        for (const index of removed) await sql(REMOVE, [at(index)]);
        const expected = [
          ...changed.map((index) => ({ index, order: 1, kind: 'changed' })),
          ...removed.map((index) => ({ index, order: 0, kind: 'removed' })),
          ...inserted.map((index) => ({ index, order: 2, kind: 'inserted' })),
        ].sort((a, b) => a.index - b.index || a.order - b.order)[0];
        const { problem } = await sealed.proofOf(context);
        expect(problem?.kind).toBe(expected?.kind);
        if (!expected) return;
        const { stream_id, version, transaction_id } = events[expected.index];
        if (expected.kind === 'inserted')
          expect(problem!.event!.position).toBe(`1.${transaction_id}.1000000`);
        else expect(problem!.event).toMatchObject({ streamId: stream_id, version });
      }),
      { numRuns: 40 },
    );
  });
});
