import { loadConfig } from '#platform/config';
import { testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, execute, type TestDatabase } from '../../../test/support/database';
import { waitFor } from '../../../test/support/wait-for';
import { run } from '../cli';

const CONNECTION = 'Server=sql.firm.example;User ID=reader;Password=Zq7xSecret';
let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  await cli('tenants', 'create', '--alias', 'acme', '--name', 'Acme');
});
afterAll(() => test?.drop());

const config = (given: object) => Object.assign(loadConfig({}), testConfig(test.url), given);

async function cliWith(given: object, ...args: string[]) {
  const told: string[] = [];
  const err: string[] = [];
  const code = await run([...args, '--json'], {
    config: () => config(given),
    out: (text) => told.push(text),
    err: (text) => err.push(text),
  });
  expect([...told, ...err].join()).not.toContain('Zq7x');
  return { code, answer: JSON.parse(told[0] ?? err[0]) };
}
const cli = (...args: string[]) => cliWith({}, ...args);

/** Changes the queued import as a worker would. */
async function carryOut(change: string): Promise<void> {
  const waiting = `select id from import.requests where status = 'Queued'`;
  const id = await waitFor(async () => (await execute<{ id: string }>(test.url, waiting)).at(0)?.id, {
    description: 'the import to be queued',
  });
  await execute(
    test.url,
    `insert into import.findings (request_id, severity, code, table_name, import_id, message)
     select $1, 'error', 'not_found', 'Matter', n::text, 'There is none.' from generate_series(1, 3) n`,
    [id],
  );
  await execute(
    test.url,
    `update import.requests set finished_at = now(), message = 'Over.', ${change} where id = $1`,
    [id],
  );
}

it('waits for the end of an import, and says what was found', async () => {
  const running = cli('import', 'run', '--tenant', 'acme', '--connection', CONNECTION);
  await carryOut(`status = 'ValidationFailed', errors = 3`);
  const { code, answer } = await running;
  expect(code).toBe(1);
  expect(answer).toMatchObject({
    status: 'ValidationFailed',
    message: 'Over.',
    findings: [{ severity: 'error', code: 'not_found', table: 'Matter', count: 3 }],
  });
  expect((await cli('import', 'status', '--tenant', 'acme')).answer.requestId).toBe(answer.requestId);
});

it('prints the status of an import for people, with what was found', async () => {
  const told: string[] = [];
  const out = (text: string) => void told.push(text);
  const code = await run(['import', 'status', '--tenant', 'acme'], {
    config: () => config({}),
    out,
    err: out,
  });
  expect(code).toBe(1);
  const [requestId, ...lines] = told.join('\n').split('\n');
  expect(requestId).toMatch(/^requestId +[0-9a-f-]{36}$/);
  expect(lines).toEqual([
    'status         ValidationFailed',
    'message        Over.',
    'stagingTenant  -',
    '',
    'severity  code       table   count',
    'error     not_found  Matter  3',
  ]);
});

it('takes the connection from the environment, and exits with 0 when the import ends well', async () => {
  const running = cliWith({ IMPORT_CONNECTION: CONNECTION }, 'import', 'run', '--tenant', 'acme');
  await carryOut(`status = 'ValidatedWithWarnings'`);
  expect(await running).toMatchObject({ code: 0, answer: { status: 'ValidatedWithWarnings' } });
});

it('goes on waiting when the database comes back after it was away', async () => {
  const admin = new URL(test.url);
  const name = admin.pathname.slice(1);
  admin.pathname = '/postgres';
  const connections = (allowed: boolean) =>
    execute(admin.href, `alter database "${name}" allow_connections ${allowed}`);
  const [told, progress]: string[][] = [[], []];
  const running = run(['import', 'run', '--tenant', 'acme', '--connection', CONNECTION], {
    config: () => config({}),
    out: (text) => told.push(text),
    err: (text) => progress.push(text),
  });
  await waitFor(() => progress.some((line) => line.includes('Queued')), {
    description: 'the import to be queued',
  });
  await connections(false);
  try {
    await execute(
      admin.href,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    await waitFor(() => progress.some((line) => line.includes('waiting for the database')), {
      description: 'the command to miss the database',
    });
  } finally {
    await connections(true);
  }
  await carryOut(`status = 'Validated'`);
  expect(await running).toBe(0);
  expect(told.join()).toContain('Validated');
});

it('shows a staging tenant as long as it can be read, and refuses to import into it', async () => {
  const status = async () => (await cli('import', 'status', '--tenant', 'acme')).answer;
  await cli('tenants', 'create', '--alias', 'loaded', '--name', 'Staging');
  // Only an import creates such a tenant.
  await execute(test.url, `update platform.tenants set alias = 'acme--staging' where alias = 'loaded'`);
  await execute(
    test.url,
    `update import.requests set status = 'Promoted',
       staging_tenant_id = (select id from platform.tenants where alias = 'acme--staging')`,
  );
  expect(await status()).toMatchObject({ stagingTenant: 'acme--staging' });
  // An import into a staging tenant is refused: the parent's next import would retire it together with what was
  // imported.
  const into = await cli('import', 'run', '--tenant', 'acme--staging', '--connection', CONNECTION);
  expect(into).toMatchObject({ code: 1, answer: { error: { code: 'staging_tenant' } } });
  // The parent's next import has retired the staging tenant.
  await execute(
    test.url,
    `update platform.tenants set alias = alias || '-' || id where alias like '%--staging'`,
  );
  expect(await status()).toMatchObject({ stagingTenant: null });
});

it('cancels the import that can be promoted, though another has failed since', async () => {
  const first = cli('import', 'run', '--tenant', 'acme', '--connection', CONNECTION);
  await carryOut(`status = 'Validated', is_kept = true`);
  const second = cli('import', 'run', '--tenant', 'acme', '--connection', CONNECTION);
  await carryOut(`status = 'Failed', updated_at = now()`);
  const [valid, failed] = (await Promise.all([first, second])).map(({ answer }) => answer.requestId);
  const status = async () => (await cli('import', 'status', '--tenant', 'acme')).answer;
  expect(await status()).toMatchObject({ requestId: failed, status: 'Failed' });
  expect(await cli('import', 'cancel', '--tenant', 'acme')).toMatchObject({
    answer: { requestId: valid, message: 'Import request cancelled.' },
  });
  expect(await status()).toMatchObject({ requestId: valid, status: 'Cancelled' });
});

it('cancels the import of a tenant that is under way', async () => {
  const running = cli('import', 'run', '--tenant', 'acme', '--connection', CONNECTION);
  await waitFor(async () => (await cli('import', 'status', '--tenant', 'acme')).answer.status === 'Queued', {
    description: 'the import to be queued',
  });
  expect(await cli('import', 'cancel', '--tenant', 'acme')).toMatchObject({
    code: 0,
    answer: { message: 'Import request cancelled.' },
  });
  expect(await running).toMatchObject({ code: 1, answer: { status: 'Cancelled' } });
  const rows = await execute<{ connection: string | null }>(
    test.url,
    'select distinct connection from import.requests',
  );
  expect(rows).toContainEqual({ connection: null });
});

describe('import promote without an id', () => {
  const statuses = (...all: string[]) =>
    execute(
      test.url,
      `with gone as (delete from import.requests where status in ('Queued', 'Validated', 'Failed', 'Cancelled', 'PromotionQueued'))
       insert into import.requests (id, tenant_id, status, is_kept, message, requested_by, queued_at, updated_at, finished_at)
       select gen_random_uuid(), t.id, s, s = 'Validated', 'Over.', 'cli', now() + n * interval '1 s', now(), now()
       from platform.tenants t, unnest($1::text[]) with ordinality as s(s, n) where t.alias = 'acme'`,
      [all],
    );

  it('takes the last import that can be promoted, even when a later one has failed', async () => {
    await statuses('Cancelled', 'Validated', 'Failed');
    const running = cli('import', 'promote', '--tenant', 'acme');
    await waitFor(
      async () =>
        (
          await execute(
            test.url,
            `update import.requests set status = 'Promoted', finished_at = now() where status = 'PromotionQueued' returning id`,
          )
        ).length === 1,
      { description: 'the promotion to be queued' },
    );
    expect(await running).toMatchObject({ code: 0, answer: { status: 'Promoted' } });
  });

  it('says what became of the last import when none can be promoted', async () => {
    await statuses('Cancelled', 'Failed');
    const { code, answer } = await cli('import', 'promote', '--tenant', 'acme');
    expect(code).toBe(1);
    expect(answer.error).toMatchObject({
      code: 'not_promotable',
      message: expect.stringContaining('is Failed'),
    });
  });
});

it.each([
  [['--tenant', 'acme'], 'usage'],
  [['--tenant', 'nobody', '--connection', CONNECTION], 'tenant_not_found'],
  [
    ['--tenant', 'acme', '--connection', `${CONNECTION};Integrated Security=true`],
    'invalid_connection_string',
  ],
  [
    ['--tenant', 'acme', '--connection', CONNECTION.replace('sql.firm.example', '10.0.0.1')],
    'host_not_allowed',
  ],
])('refuses import run %j', async (args, error) => {
  expect(await cli('import', 'run', ...args)).toMatchObject({ code: 1, answer: { error: { code: error } } });
});
