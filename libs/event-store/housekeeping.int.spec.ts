import { SystemClock } from '#kernel/clock';
import { createTestStore } from '../../test/support/store';
import { Erasures } from './erasures';
import { Housekeeping } from './housekeeping';

it('deletes idempotency keys after 24 hours, and counts whose windows have ended', async () => {
  const { writes, codec, close } = await createTestStore([]);
  const { pool } = writes;
  try {
    await pool.query(
      `insert into event_store.idempotency_keys (tenant_id, integration_id, key, request_hash, status, streams, created_at)
         select 1, gen_random_uuid(), hours::text, '', 200, '[]', now() - hours * interval '1 hour'
         from unnest(array[25, 23]) hours;
       insert into platform.token_failures values ('old', now() - interval '11 minutes', 1), ('new', now(), 1)`,
    );
    await new Housekeeping(writes, new SystemClock(), new Erasures(writes, codec)).round();
    const keys = await pool.query('select key from event_store.idempotency_keys');
    const failures = await pool.query('select subject from platform.token_failures');
    expect([keys.rows, failures.rows]).toEqual([[{ key: '23' }], [{ subject: 'new' }]]);
  } finally {
    await close();
  }
});
