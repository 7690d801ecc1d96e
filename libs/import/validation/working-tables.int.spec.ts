import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { makeTableOf } from './working-tables';

describe('a table that is made from another', () => {
  let test: TestDatabase;
  let session: Client;

  beforeAll(async () => {
    test = await createTestDatabase();
    session = new Client(test.url);
    await session.connect();
    await session.query('create schema working');
    await session.query('set search_path = working, pg_catalog');
    // A page holds two of these rows.
    await session.query(`create unlogged table "From" (number integer, filler text)`);
    await session.query(`alter table "From" alter filler set storage plain`);
    await session.query(`insert into "From" select n, repeat('x', 3500) from generate_series(1, 5000) n`);
  });
  afterAll(async () => {
    await session.end();
    await test.drop();
  });

  it('has the result of each row once, although it is made in several transactions, and also when it is made again', async () => {
    const query = (rows: string) => `select number as key, number * 2 as doubled from ${rows} r`;
    for (let time = 1; time <= 2; time++) {
      await makeTableOf(session, 'made_of', '"From"', query, 'key');
      const { rows } = await session.query(
        `select count(*)::int as rows, count(distinct key)::int as keys, sum(doubled)::int as sum,
           count(distinct xmin::text) > 1 as "isInParts" from made_of`,
      );
      expect(rows).toEqual([{ rows: 5000, keys: 5000, sum: 5000 * 5001, isInParts: true }]);
    }
  });
});
