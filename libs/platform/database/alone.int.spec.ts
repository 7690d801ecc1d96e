import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { waitFor } from '../../../test/support/wait-for';
import { alone } from './alone';

describe('work that needs a table for itself', () => {
  let test: TestDatabase;
  const clients: Client[] = [];

  beforeAll(async () => {
    test = await createTestDatabase();
    for (const _ of [1, 2, 3]) clients.push(new Client({ connectionString: test.url }));
    for (const client of clients) await client.connect();
  });
  afterAll(async () => {
    for (const client of clients) await client.end();
    await test.drop();
  });

  it('waits long enough for PostgreSQL to cancel an autovacuum, which may take hours otherwise', async () => {
    const [waiting, vacuum, witness] = clients;
    await witness.query('create table crowded (id int)');
    await vacuum.query('begin');
    await vacuum.query('lock table crowded in share update exclusive mode');
    const work = alone(waiting, 'truncate crowded');
    const isLongEnough = async () =>
      (
        await witness.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
             and query_start < clock_timestamp() - current_setting('deadlock_timeout')::interval`,
        )
      ).rowCount === 1;
    try {
      await waitFor(isLongEnough, { description: 'a wait longer than deadlock_timeout' });
    } finally {
      await vacuum.query('rollback');
    }
    await work;
    expect((await waiting.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '0' }]);
  });
});
