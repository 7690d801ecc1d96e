import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { StagingArea } from '../staging/staging-area';
import { openCountedBy } from './counted-by';

const staging = new StagingArea('0198c2f1-a4b8-7c3d-9e5f-60718293a4b5');

describe('the table of what rows are counted by', () => {
  let database: TestDatabase;
  let client: Client;
  let dump: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    [client, dump] = [0, 1].map(() => new Client({ connectionString: database.url }));
    await Promise.all([client.connect(), dump.connect()]);
    await client.query(`create schema ${staging.schema}`);
  });
  afterAll(async () => {
    await Promise.all([client.end(), dump.end()]);
    await database.drop();
  });

  it('is given the columns that an earlier version of the program did not create', async () => {
    await client.query(
      `create table ${staging.schema}.counted_by (table_name text, import_id text, minutes_per_unit text, tax_code text)`,
    );
    await openCountedBy(client, staging);
    await client.query(`select called, names_codes from ${staging.schema}.counted_by`);
  });

  it('can be opened beside a dump of the database', async () => {
    await dump.query(`begin; lock table ${staging.schema}.counted_by in access share mode`);
    await client.query(`set statement_timeout = '5s'`);
    await openCountedBy(client, staging);
    await dump.query('commit');
  }, 20_000);
});
