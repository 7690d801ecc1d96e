import { readFile } from 'node:fs/promises';
import { createTestDatabase, execute, type TestDatabase } from '../../../test/support/database';

describe('counters that are behind the numbers of records', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database?.drop());

  it('are raised to the last number of their tenant, and never lowered', async () => {
    await execute(
      database.url,
      `insert into event_store.reservations (tenant_id, kind, key, stream_id)
       select 7, kind, key, gen_random_uuid() from (values ('client_number', '9'), ('client_number', '10'),
         ('client_number', '0011'), ('client_number', 'C-12'), ('client_number', '1000000000000000'), ('matter_number', '3'),
         ('invoice_number', '2025'), ('task_type_code', '50')) r(kind, key)`,
    );
    await execute(
      database.url,
      `insert into event_store.counters (tenant_id, name, value)
       values (7, 'client_number', 8), (7, 'matter_number', 4), (8, 'client_number', 1)`,
    );
    await execute(database.url, await readFile('migrations/write/0022-counters-raised.sql', 'utf8'));
    const counters = await execute(
      database.url,
      'select tenant_id as tenant, name, value from event_store.counters order by 1, 2',
    );
    expect(counters).toEqual([
      { tenant: 7, name: 'client_number', value: '10' },
      { tenant: 7, name: 'invoice_number', value: '2025' },
      { tenant: 7, name: 'matter_number', value: '4' },
      { tenant: 8, name: 'client_number', value: '1' },
    ]);
  });
});
