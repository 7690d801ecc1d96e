import type { RequestContext } from '#platform/request-context';
import type { TestStore } from '../../../test/support/store';
import type { SealHead } from './seals';
import {
  CHANGE,
  createSealedStore,
  type SealsOf,
  type StoredEvent,
  writeThree,
} from './testing/sealed-store';

describe('the chain of seals', () => {
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

  it.each([
    ['block_altered', 'events = events + 1'],
    ['block_altered', `sealed_at = sealed_at + interval '1 us'`],
    ['block_altered', `digests[1] = sha256('')`],
    ['block_altered', 'versions[1] = versions[1] + 1'],
    ['block_altered', `seal = sha256('')`],
  ])('names an altered block: %s, %s', async (kind, assignment) => {
    await sql(`update event_store.seals set ${assignment} where tenant_id = $1 and number = 2`, [
      context.tenant.id,
    ]);
    expect((await sealed.proofOf(context)).problem).toMatchObject({ kind, block: 2, event: null });
    expect((await sealed.proofOf(other)).problem).toBeNull();
  });

  it.each([
    ['the second', 'number = 2', { kind: 'block_missing', block: 2 }],
    ['the first', 'number = 1', { kind: 'block_missing', block: 1 }],
  ])('names a removed block: %s', async (_, which, problem) => {
    await sql(`delete from event_store.seals where tenant_id = $1 and ${which}`, [context.tenant.id]);
    expect((await sealed.proofOf(context)).problem).toMatchObject({ ...problem, event: null });
    expect((await sealed.proofOf(other)).problem).toBeNull();
  });

  it.each([
    ['the last is', 'number = (select max(number) from event_store.seals where tenant_id = $1)'],
    ['all are', 'true'],
  ])('names the first event whose seal is gone when %s removed', async (_, which) => {
    const { rows } = await sql(
      `with gone as (delete from event_store.seals where tenant_id = $1 and ${which} returning number, stream_ids, versions)
       select stream_ids[1] as stream_id, versions[1] as version from gone order by number limit 1`,
      [context.tenant.id],
    );
    expect((await sealed.proofOf(context)).problem).toMatchObject({
      kind: 'unsealed',
      event: named(rows[0]),
    });
  });

  it('names the block that follows one that was sealed anew for a changed event', async () => {
    await sql(CHANGE, [at(0)]);
    await sql(
      `update event_store.seals s set digests = array(
         select event_store.digest(e) from unnest(s.stream_ids, s.versions) with ordinality as d(stream_id, version, place)
         join event_store.events e using (stream_id, version) where e.tenant_id = s.tenant_id order by d.place)
       where tenant_id = $1 and number = 1`,
      [context.tenant.id],
    );
    await sql('update event_store.seals s set seal = event_store.seal_of(s) where tenant_id = $1', [
      context.tenant.id,
    ]);
    expect((await sealed.proofOf(context)).problem).toMatchObject({ kind: 'block_unchained', block: 2 });
  });

  it('finds by seals kept elsewhere that the whole chain was written anew', async () => {
    const kept = await sealed.seals.heads();
    await writeThree(store, context, 'later');
    await sealed.sealAll();
    expect(await sealed.verify(undefined, kept)).toEqual(await sealed.verify());

    await sql(CHANGE, [at(4)]);
    await sql('delete from event_store.seals');
    await sql('delete from event_store.seal_checkpoints');
    await sealed.sealAll();
    expect((await sealed.proofOf(context)).problem).toBeNull();
    const { number } = kept.find(({ tenant }) => tenant === context.tenant.alias)!;
    const problem = { kind: 'kept_seal_missing', block: number, event: null };
    expect((await sealed.proofOf(context, kept)).problem).toMatchObject(problem);

    const unknown = { tenant: 'gone', number: 7, seal: kept[0].seal };
    expect((await sealed.verify(undefined, [unknown])).at(-1)).toMatchObject({
      tenant: 'gone',
      problem: { kind: 'kept_seal_missing', block: 7 },
    });
  });

  it('tells a chain that ends before a seal kept elsewhere from one with another seal in its place', async () => {
    const [head] = await sealed.seals.heads(context.tenant.alias);
    const { number } = head;
    const messageAbout = async (kept: Partial<SealHead>) =>
      (await sealed.proofOf(context, [{ ...head, ...kept }])).problem?.message;
    expect(await messageAbout({})).toBeUndefined();
    expect(await messageAbout({ number: number + 1 })).toBe(
      `The kept seal of block ${number + 1} is missing, as the chain has only ${number} blocks: an older backup was ` +
        'restored, or blocks were removed or written anew.',
    );
    expect(await messageAbout({ seal: '0'.repeat(64) })).toBe(
      `The kept seal of block ${number} is not in the chain: the block was written anew, perhaps after an older backup ` +
        'was restored.',
    );
  });

  it('finds the tenant of a kept seal by its number when another tenant now has the alias', async () => {
    const kept = await sealed.seals.heads();
    const rename = 'update platform.tenants set alias = $2 where id = $1';
    await sql(rename, [context.tenant.id, `${context.tenant.alias}-1`]);
    await sql(rename, [other.tenant.id, context.tenant.alias]);
    expect((await sealed.verify(undefined, kept)).map(({ problem }) => problem)).toEqual([null, null]);
    // Seals from a file without tenant numbers can only be matched by the alias.
    const [older] = kept
      .filter(({ tenantId }) => tenantId === context.tenant.id)
      .map(({ tenantId: _, ...seal }) => seal);
    expect((await sealed.verify(undefined, [older])).map(({ problem }) => problem?.kind)).toContain(
      'kept_seal_missing',
    );
  });
});
