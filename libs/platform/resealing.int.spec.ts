import { randomBytes } from 'node:crypto';
import { wrappedSubjectKeys } from '#event-store/subject-keys';
import { createTestStore, type TestStore } from '../../test/support/store';
import { Resealing } from './resealing';
import { Secrets, SecretsError } from './secrets';

const COUNT = 1_201;

describe('sealing anew', () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const dataKey = randomBytes(32);
  const after = new Secrets(second, [first]);
  let store: TestStore;
  beforeEach(async () => {
    store = await createTestStore([]);
    const old = new Secrets(first);
    await query(
      `insert into event_store.subject_keys (tenant_id, subject, wrapped)
       select 1 + n % 3, gen_random_uuid(), wrapped from unnest($1::bytea[]) with ordinality w(wrapped, n)`,
      Array.from({ length: COUNT }, () => old.wrapKey(dataKey)),
    );
  });
  afterEach(() => store.close());

  const query = async (sql: string, ...values: unknown[]) =>
    (await store.writes.pool.query<{ wrapped: Buffer | null }>(sql, values)).rows;
  const stored = async () =>
    (await query('select wrapped from event_store.subject_keys')).map(({ wrapped }) => wrapped);

  it('renews every row, page by page, and finds nothing to do the second time', async () => {
    const resealing = new Resealing(store.writes, after);
    expect(await resealing.renew(wrappedSubjectKeys)).toBe(COUNT);
    const alone = new Secrets(second);
    const keys = (await stored()).map((wrapped) => alone.unwrapKey(wrapped!));
    expect(keys).toEqual(Array(COUNT).fill(dataKey));
    expect(await resealing.renew(wrappedSubjectKeys)).toBe(0);
  });

  it('does not bring back a key that is destroyed meanwhile', async () => {
    let destroyed = false;
    const writes = Object.assign(Object.create(store.writes), {
      transaction: async (...given: Parameters<TestStore['writes']['transaction']>) => {
        if (!destroyed) await query('update event_store.subject_keys set wrapped = null where tenant_id = 1');
        destroyed = true;
        return store.writes.transaction(...given);
      },
    });
    const others = (await query('select from event_store.subject_keys where tenant_id <> 1')).length;
    expect(await new Resealing(writes, after).renew(wrappedSubjectKeys)).toBe(others);
    expect((await stored()).filter((wrapped) => wrapped === null)).toHaveLength(COUNT - others);
  });

  it('stops at a value that none of its keys opens', async () => {
    const resealing = new Resealing(store.writes, new Secrets(second, [randomBytes(32)]));
    await expect(resealing.renew(wrappedSubjectKeys)).rejects.toBeInstanceOf(SecretsError);
  });
});
