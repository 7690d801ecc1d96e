import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { tables } from '../schema/schema-1.0';
import { StagingArea } from './staging-area';

describe('StagingArea', () => {
  const area = new StagingArea('0199c0de-0000-7000-8000-000000000001');
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const persistence = async () => {
    const { rows } = await client.query<{ kind: string; count: number }>(
      `select relpersistence as kind, count(*)::int as count from pg_class
       where relnamespace = $1::regnamespace and relkind = 'r' group by 1`,
      [area.schema],
    );
    return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
  };

  it('has an unlogged table for each table of the source, with the same columns', async () => {
    await area.create(client);
    expect(await persistence()).toEqual({ u: tables.length });
    const { rows } = await client.query<{ table: string; columns: string[] }>(
      `select table_name as table, array_agg(column_name::text order by ordinal_position) as columns
       from information_schema.columns where table_schema = $1 group by 1`,
      [area.schema],
    );
    const columns = Object.fromEntries(rows.map((row) => [row.table, row.columns]));
    expect(columns).toEqual(
      Object.fromEntries(tables.map((table) => [table.name, table.columns.map(({ name }) => name)])),
    );
  });

  it('is left alone by autovacuum', async () => {
    await area.create(client);
    const { rows } = await client.query(
      `select from pg_class where relnamespace = $1::regnamespace and relkind = 'r'
         and reloptions is distinct from '{autovacuum_enabled=off}'`,
      [area.schema],
    );
    expect(rows).toEqual([]);
  });

  it('is empty when it is created again', async () => {
    await area.create(client);
    await client.query(`insert into ${area.table('Division')} ("ImportId") values ('d1')`);
    await area.create(client);
    const { rows } = await client.query(`select from ${area.table('Division')}`);
    expect(rows).toEqual([]);
  });

  it('has tables that survive a crash once it is to be kept', async () => {
    await area.create(client);
    await area.keep(client);
    expect(await persistence()).toEqual({ p: tables.length });
  });

  it('leaves nothing behind when it is dropped', async () => {
    await area.create(client);
    await area.drop(client);
    await area.drop(client);
    const { rows } = await client.query('select from pg_namespace where nspname = $1', [area.schema]);
    expect(rows).toEqual([]);
  });
});
