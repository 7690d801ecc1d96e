import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { lockTenant } from '../locks';
import { openParent } from '../testing/commands';
import { Child, Parent } from '../testing/streams';

const WAITING = `from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;
const succeeded = (outcomes: PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'fulfilled' : outcome.reason));
const all = (count: number) => Array.from({ length: count }, () => 'fulfilled');

describe('while somebody holds the lock of a tenant, as a bulk append does', () => {
  let store: TestStore;
  let holder: Client;
  let locked: RequestContext;
  let neighbour: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Parent, Child]);
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    locked = await createContext(store);
    neighbour = await createContext(store);
    holder = new Client(store.url);
    await holder.connect();
    await holder.query('begin');
    await lockTenant(holder, locked.tenant.id);
  });
  afterEach(() => holder.end());

  const write = (context: RequestContext, count: number) =>
    Promise.allSettled(Array.from({ length: count }, () => openParent(store.store, context)));
  const eventsOf = async ({ tenant }: RequestContext): Promise<number> => {
    const { rows } = await store.writes.pool.query<{ count: number }>(
      'select count(*)::int as count from event_store.events where tenant_id = $1',
      [tenant.id],
    );
    return rows[0].count;
  };
  const waiting = async () => (await holder.query(`select ${WAITING}`)).rowCount!;
  const waits = () => waitFor(waiting, { description: 'an append that waits for the lock' });

  it('its writes wait, and those of other tenants go on at once, in the same batch and in later ones', async () => {
    const settled = jest.fn();
    const late: ReturnType<typeof write>[] = [];
    const writeLate = (count: number) => late.push(write(locked, count).finally(settled));
    const together = write(neighbour, 5);
    writeLate(3);
    await waits();
    // As many batches as would fill every lane.
    for (let round = 0; round < 4; round++) {
      writeLate(2);
      expect(succeeded(await write(neighbour, 5))).toEqual(all(5));
    }
    expect(succeeded(await together)).toEqual(all(5));
    expect([settled.mock.calls.length, await eventsOf(locked)]).toEqual([0, 0]);
    expect(await waiting()).toBe(1);

    await holder.query('commit');
    expect(succeeded((await Promise.all(late)).flat())).toEqual(all(11));
    expect([await eventsOf(locked), await eventsOf(neighbour)]).toEqual([11, 25]);
  });

  it('a wait that the server ends fails the writes of that tenant only', async () => {
    const [late, others] = [write(locked, 2), write(neighbour, 2)];
    await waits();
    // What statement_timeout does after ten seconds.
    await holder.query(`select pg_cancel_backend(pid) ${WAITING}`);
    const failure = {
      code: 'store_unavailable',
      message: 'The event store takes no changes at the moment; nothing was changed.',
      headers: { 'Retry-After': '1' },
    };
    expect(await late).toMatchObject([{ reason: failure }, { reason: failure }]);
    expect(succeeded(await others)).toEqual(all(2));

    await holder.query('commit');
    expect(await eventsOf(locked)).toBe(0);
    expect(succeeded(await write(locked, 1))).toEqual(all(1));
  });

  it('many such tenants leave most connections to the others', async () => {
    const more = await Promise.all(Array.from({ length: 7 }, () => createContext(store)));
    for (const { tenant } of more) await lockTenant(holder, tenant.id);
    const late = Promise.all(more.map((context) => write(context, 2)));
    await waitFor(async () => (await waiting()) === 3, { description: 'three appends that wait' });
    expect(succeeded(await write(neighbour, 20))).toEqual(all(20));
    expect(await waiting()).toBe(3);

    await holder.query('commit');
    expect(succeeded((await late).flat())).toEqual(all(14));
    expect(await Promise.all(more.map(eventsOf))).toEqual(more.map(() => 2));
  });

  it('its commands are judged by what was committed behind the lock, and carried out once', async () => {
    const keyed = { ...locked, idempotency: { key: 'once', hash: Buffer.from('same') } };
    const repeated = Promise.all([openParent(store.store, keyed), openParent(store.store, keyed)]);
    const rival = Promise.allSettled([openParent(store.store, locked, { code: 'A' })]);
    await waits();
    await holder.query(
      'insert into event_store.reservations (tenant_id, kind, key, stream_id) values ($1, $2, $3, $4)',
      [locked.tenant.id, 'code', 'A', randomUUID()],
    );
    await holder.query('commit');
    expect(await rival).toMatchObject([{ reason: { code: 'code_taken' } }]);
    const [first, second] = await repeated;
    expect(first.record.id).toBe(second.record.id);
    expect([first.replayed, second.replayed].sort()).toEqual([false, true]);
    expect(await eventsOf(locked)).toBe(1);
  });
});
