import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { Client, type Pool, type PoolClient } from 'pg';
import { loadConfig } from '#platform/config';
import { ReadDatabase } from '#platform/database';
import { createTestDatabase, type TestDatabase } from '../../test/support/database';
import { waitFor } from '../../test/support/wait-for';
import { failure } from './graphql/failure';
import { ReportStatements } from './report-statements';

let database: TestDatabase;
let read: ReadDatabase;
let pool: Pool;
let statements: ReportStatements;

const over = (connections: number) => {
  const config = loadConfig({ DATABASE_URL: database.url, NODE_ENV: 'test' });
  return new ReadDatabase(Object.assign(config, { DATABASE_POOL: connections }));
};

beforeAll(async () => {
  database = await createTestDatabase();
  read = over(1);
  pool = read.pool;
  statements = new ReportStatements(read);
});

afterAll(async () => {
  await read.onApplicationShutdown();
  await database.drop();
});

const reader = { tenantId: 1, gone: new AbortController().signal };

const prepared = async () => {
  const { rows } = await pool.query<{ statement: string; plans: number }>(
    `select statement, (generic_plans + custom_plans)::int as plans from pg_prepared_statements`,
  );
  return rows;
};

it('prepares recurring statements once on a connection, and no others', async () => {
  for (const value of [1, 2, 3]) {
    expect(
      await statements.rows({ text: 'select $1::int + 1', values: [value], recurs: true }, reader),
    ).toEqual([[String(value + 1)]]);
    await statements.rows({ text: 'select $1::int + 2', values: [value], recurs: false }, reader);
  }
  expect(await prepared()).toEqual([{ statement: 'select $1::int + 1', plans: 3 }]);
});

it('keeps the fifty prepared statements that were used last, in the server and in the driver', async () => {
  const ask = (number: number) =>
    statements.rows({ text: `select $1::int + ${number}`, values: [0], recurs: true }, reader);
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
    (await statements.rows({ text: 'select pg_backend_pid()', values: [], recurs: true }, reader))[0][0];
  pids.push(await pid());
  const removed = new Promise<PoolClient>((resolve) => pool.once('remove', resolve));
  await expect(
    statements.rows({ text: 'select 1 / $1::int', values: [0], recurs: true }, reader),
  ).rejects.toThrow('division by zero');
  await removed;
  pids.push(await pid());
  expect(new Set(pids).size).toBe(2);
});

it('a new connection that breaks as the client leaves fails only the report', async () => {
  const controller = new AbortController();
  const fresh = over(1);
  fresh.pool.once('acquire', (client) =>
    setImmediate(() => {
      controller.abort();
      (client.connection as unknown as { stream: Socket }).stream.destroy();
    }),
  );
  const quick = { text: 'select 7', values: [], recurs: false };
  const report = new ReportStatements(fresh).rows(quick, { tenantId: 1, gone: controller.signal });
  await expect(report).rejects.toThrow('Connection terminated');
  // An unhandled rejection would end the process, and fails the test.
  await new Promise((resolve) => setImmediate(resolve));
  await fresh.onApplicationShutdown();
});

it('keeps the connection of a statement for which nobody waits any more when its turn comes', async () => {
  const pid = { text: 'select pg_backend_pid()', values: [], recurs: false };
  const before = await statements.rows(pid, reader);
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(statements.rows(pid, { tenantId: 1, gone })).rejects.toThrow('gone');
  const controller = new AbortController();
  pool.once('acquire', () => controller.abort(new Error('gone')));
  await expect(statements.rows(pid, { tenantId: 1, gone: controller.signal })).rejects.toThrow('gone');
  expect(await statements.rows(pid, reader)).toEqual(before);
});

it('a client that leaves as its moment begins leaves no transaction on the connection', async () => {
  const isolation = { text: 'show transaction_isolation', values: [], recurs: false };
  const before = await statements.rows(isolation, reader);
  const controller = new AbortController();
  pool.once('acquire', () => setImmediate(() => controller.abort(new Error('gone'))));
  const left = { tenantId: 1, gone: controller.signal };
  await expect(statements.atOneMoment(['people'], left, (ask) => ask(isolation))).rejects.toThrow();
  expect(await statements.rows(isolation, reader)).toEqual(before);
});

it('the server ends a moment whose process stands still, so that no table is held for good', async () => {
  const timeout = { text: 'show idle_in_transaction_session_timeout', values: [], recurs: false };
  const [before] = await statements.rows(timeout, reader);
  expect(await statements.atOneMoment(['people'], reader, (ask) => ask(timeout))).toEqual([['15s']]);
  expect(await statements.rows(timeout, reader)).toEqual([before]);
});

describe('on four connections', () => {
  let four: ReadDatabase;
  let shared: ReportStatements;
  let onlooker: Client;

  beforeAll(async () => {
    four = over(4);
    shared = new ReportStatements(four);
    onlooker = new Client({ connectionString: database.url });
    await onlooker.connect();
  });

  afterAll(async () => {
    await onlooker.end();
    await four.onApplicationShutdown();
  });

  const sleep = (tenantId: number, gone: AbortSignal) =>
    shared.rows({ text: 'select pg_sleep(60)', values: [], recurs: false }, { tenantId, gone });

  const sleeping = async (expected: number) => {
    const text = `select count(*)::int as count from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'`;
    const isSo = async () => (await onlooker.query<{ count: number }>(text)).rows[0].count === expected;
    await waitFor(isSo, { description: `${expected} statements to sleep` });
  };

  it('a tenant has two at most, and its statements end when their client leaves', async () => {
    const controller = new AbortController();
    const slow = [1, 2, 3].map(() => sleep(1, controller.signal));
    const ended = Promise.allSettled(slow);
    await sleeping(2);
    const quick = { text: 'select 7', values: [], recurs: false };
    expect(await shared.rows(quick, { ...reader, tenantId: 2 })).toEqual([['7']]);
    const third = shared.rows(quick, reader);
    controller.abort();
    expect(await third).toEqual([['7']]);
    await sleeping(0);
    const codes = (await ended).map((each) => (each as PromiseRejectedResult).reason);
    expect(codes.slice(0, 2)).toMatchObject([{ code: '57014' }, { code: '57014' }]);
    expect(codes[2]).toBe(controller.signal.reason);
  });

  it('a statement is cancelled again when the first cancellation came before it had begun', async () => {
    const cancel = jest.spyOn(four, 'cancel').mockResolvedValueOnce();
    const controller = new AbortController();
    const slow = sleep(1, controller.signal);
    await sleeping(1);
    controller.abort();
    await expect(slow).rejects.toMatchObject({
      code: '57014',
      message: expect.stringContaining('user request'),
    });
    expect(cancel).toHaveBeenCalledTimes(2);
    cancel.mockRestore();
  });

  it('a statement that waits in vain for others of its tenant is refused, but not for those of its own request', async () => {
    const controller = new AbortController();
    const slow = [1, 2, 3].map(() => sleep(1, controller.signal));
    const ended = Promise.allSettled(slow);
    const refusal: unknown = await sleep(1, reader.gone).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'reports_busy' });
    controller.abort();
    expect(((await ended)[2] as PromiseRejectedResult).reason).toBe(controller.signal.reason);
    // The error is not logged as a failure of the service: a tenant that keeps asking would fill the log.
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    expect(failure(refusal, 'trace').extensions).toMatchObject({
      reason: 'reports_busy',
      http: { status: 503 },
    });
    expect(logged).not.toHaveBeenCalled();
    logged.mockRestore();
  });
});
