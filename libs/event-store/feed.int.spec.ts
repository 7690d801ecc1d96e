import type { Client } from 'pg';
import { createTestStore, type TestStore } from '../../test/support/store';
import { FEED_QUERY } from './feed';
import { Child, Parent } from './testing/streams';

describe('x', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await createTestStore([Parent, Child]);
  });
  afterAll(() => store.close());
  it('explains', async () => {
    const { pool } = store.writes;
    const c = await pool.connect();
    const show = async (label: string) => {
      for (const mode of ['force_generic_plan', 'force_custom_plan']) {
        await c.query(`set plan_cache_mode = ${mode}`);
        await c.query(`deallocate all`);
        await c.query(`prepare feed as ${FEED_QUERY}`);
        const p = [...Array(12).keys()].join(',');
        const z = [...Array(12)].map(() => '0').join(',');
        const head =
          (await c.query('select max(transaction_id::text::bigint)::text m from event_store.events')).rows[0]
            .m ?? '0';
        for (const [l, e, x] of [
          ['backlog', z, z],
          ['head', z.replaceAll('0', '1'), z.replaceAll('0', head)],
        ]) {
          const { rows } = await c.query(
            `explain (analyze, buffers) execute feed('{${p}}','{${e}}','{${x}}','{${z.replaceAll('0', '99999999')}}',1000)`,
          );
          console.log(label, mode, l + '\n' + rows.map((r: any) => r['QUERY PLAN']).join('\n'));
        }
      }
    };
    await show('empty');
    console.time('ins');
    for (let n = 0; n < 10; n++)
      await pool.query(`insert into event_store.events (tenant_id, stream_id, version, epoch, partition, event_id, type, schema_version, data, metadata, recorded_at)
       select 1 + i % 50, gen_random_uuid(), 1, 1, i % 50 % 12, gen_random_uuid(), 'ParentOpened', 1, '{"name":"x","code":null}', '{}', now() from generate_series(1, 20000) i`);
    console.timeEnd('ins');
    await show('unanalyzed');
    await c.query('analyze event_store.events');
    await show('analyzed');
    c.release();
  });
});
