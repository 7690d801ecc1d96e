import { Pool, type PoolClient } from 'pg';
import { type ReadDatabase } from '#platform/database';
import { createTestDatabase, type TestDatabase } from '../../test/support/database';
import { ReportStatements } from './report-statements';

let database: TestDatabase;
let pool: Pool;
let statements: ReportStatements;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 1 });
  statements = new ReportStatements({ pool } as ReadDatabase);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const prepared = async () => {
  const { rows } = await pool.query<{ statement: string; plans: number }>(
    `select statement, (generic_plans + custom_plans)::int as plans from pg_prepared_statements`,
  );
  return rows;
};

it('prepares what recurs once on a connection, and nothing else', async () => {
  for (const value of [1, 2, 3]) {
    expect(await statements.rows({ text: 'select $1::int + 1', values: [value], recurs: true })).toEqual([
      [String(value + 1)],
    ]);
    await statements.rows({ text: 'select $1::int + 2', values: [value], recurs: false });
  }
  expect(await prepared()).toEqual([{ statement: 'select $1::int + 1', plans: 3 }]);
});

it('keeps the fifty that were used last, and the driver no text of another', async () => {
  const ask = (number: number) =>
    statements.rows({ text: `select $1::int + ${number}`, values: [0], recurs: true });
  for (let number = 100; number < 160; number++) {
    await ask(number);
    await ask(100);
  }
  const texts = (await prepared()).map(({ statement }) => statement);
  expect(texts).toHaveLength(50);
  expect(texts).toContain('select $1::int + 100');
  expect(texts).not.toContain('select $1::int + 101');
  expect(await ask(101)).toEqual([['101']]);
  const client = await pool.connect();
  client.release();
  const { parsedStatements } = client.connection as unknown as { parsedStatements: object };
  expect(Object.keys(parsedStatements)).toHaveLength(50);
});

it('gives up a connection whose query failed', async () => {
  const pids: (string | null)[] = [];
  const pid = async () =>
    (await statements.rows({ text: 'select pg_backend_pid()', values: [], recurs: true }))[0][0];
  pids.push(await pid());
  const removed = new Promise<PoolClient>((resolve) => pool.once('remove', resolve));
  await expect(statements.rows({ text: 'select 1 / $1::int', values: [0], recurs: true })).rejects.toThrow(
    'division by zero',
  );
  await removed;
  pids.push(await pid());
  expect(new Set(pids).size).toBe(2);
});
