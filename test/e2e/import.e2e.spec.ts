import { Client } from 'pg';
import type { ApiClient, Credentials, Json } from '../support/client';
import { waitFor } from '../support/wait-for';
import { firmFigures, shownFigures } from './import-figures';
import { ImportOffice } from './import-office';
import { type ImportSource, PASSWORD } from './import-source';
import { expectProblem } from './refusals';

const NOBODYS = '00000000-0000-7000-8000-000000000000';
let imports: ImportOffice;
let source: ImportSource;
let leeds: ApiClient;
let credentials: Credentials;
/** Holds locks for which workers wait. */
let holder: Client;

beforeAll(async () => {
  // Logs as much as possible, because the password must not occur in any log.
  imports = await ImportOffice.open([800], { LOG_LEVEL: 'trace' });
  [source] = imports.sources;
  ({ api: leeds, credentials } = await imports.tenant('leeds'));
  // Leaves the firm's own standard code as the only one, so that lines without a tax code are taxed by it.
  for (const { id, category } of await leeds.rows('taxcodes'))
    if (category === 'Standard') expect((await leeds.delete(`taxcodes/${id}`)).status).toBe(204);
  holder = new Client(imports.office.databaseUrl);
  await holder.connect();
});
afterEach(() => {
  Object.assign(source.server.faults, { drop: undefined, stall: undefined, missing: undefined });
});
afterAll(async () => {
  await holder?.end();
  await imports?.close();
});

/** The staging tenant has the figures of the firm, by table, matter and fee earner. */
async function expectLoaded(of: Credentials): Promise<void> {
  const staging = await imports.caller('leeds--staging', of);
  const [{ stream_id }] = await imports.office.sql<{ stream_id: string }>(
    `select stream_id from platform.tenants where alias = 'leeds'`,
  );
  expect(await shownFigures(staging)).toEqual(firmFigures(stream_id, source.firm));
  const matter = await staging.data('GET', 'matters?pageSize=1');
  expect(await staging.data('GET', `matters/${matter.rows[0].id}`)).toMatchObject({ id: matter.rows[0].id });
}

it('imports a firm, which is then read under its staging alias as it was in its source', async () => {
  const requestId = await imports.import(leeds);
  expectProblem(
    await leeds.post('etl/import', { connectionString: source.server.connectionString() }),
    409,
    'import_in_progress',
  );
  const ended = await imports.until(leeds, requestId);
  const report = await leeds.data('GET', `etl/import-report/${requestId}`);
  expect(report).toMatchObject({ rows: [], hasMore: false });
  expect(ended).toMatchObject({
    requestId,
    kind: 'Import',
    status: 'Validated',
    schemaVersion: '1.0',
    validation: { errors: 0, warnings: 0, reportUrl: `/leeds/api/v1/etl/import-report/${requestId}` },
    progress: { percent: 100 },
    stagingTenant: 'leeds--staging',
    canPromote: true,
  });
  const counts = Object.fromEntries(ended.progress.tables.map((table: Json) => [table.name, table]));
  for (const [name, rows] of Object.entries(source.firm.rows))
    expect(counts[name]).toMatchObject({ total: rows, read: rows, valid: rows, rejected: 0 });
  expect(counts.WorkItem.loaded).toBe(source.firm.rows.WorkItem);
  await expectLoaded(credentials);
  const work = report.totals.find(({ measure, groupBy }: Json) => measure === 'Work' && groupBy === 'Total');
  const { amount, count } = source.firm.work.total;
  expect([work.sourceCount, work.controlCount, work.loadedCount]).toEqual([count, count, count]);
  for (const side of ['sourceAmount', 'controlAmount', 'loadedAmount'])
    expect(Number(work[side])).toBe(Number(amount));

  const metrics = await imports.workerMetrics();
  const sum = (of: string) => ended.progress.tables.reduce((all: number, table: Json) => all + table[of], 0);
  expect(metrics).toContain('imports_ended_total{kind="Import",outcome="Validated"} 1\n');
  expect(metrics).toContain(`import_rows_total{step="Extracting"} ${sum('read')}\n`);
  expect(metrics).toContain(`import_rows_total{step="Loading"} ${sum('loaded')}\n`);
});

it('gives the same result when the worker is killed in every step', async () => {
  source.server.faults.stall = { table: 'WorkItem', afterRows: 600 };
  const { queries } = source.server;
  const before = queries.length;
  const requestId = await imports.import(leeds);
  /**
   * @param isWaitedFor whether to wait for the dead worker's lease to end, which is always the same; otherwise it is
   * shortened
   * @param held a table that the next worker cannot write to. The lock takes no transaction id, for which the feed
   * would wait
   */
  const die = async ({ isWaitedFor = false, held = '' } = {}) => {
    await imports.killWorker();
    if (!isWaitedFor)
      await imports.office.sql(`update import.requests set leased_until = now() where id = '${requestId}'`);
    await holder.query('rollback');
    if (held) await holder.query(`begin; lock table ${held} in share mode`);
    Object.assign(source.server.faults, { stall: undefined });
    await imports.startWorker();
  };
  const reached = async (status: string) =>
    expect(await imports.until(leeds, requestId, status)).toMatchObject({ status });
  await waitFor(() => queries.slice(before).some((query) => /from \[etl\]\.\[WorkItem\] order/.test(query)), {
    description: 'the reading of work items',
  });
  await reached('Extracting');
  await die({ isWaitedFor: true, held: 'import.findings' });
  await reached('Validating');
  await die();
  await imports.until(leeds, requestId, 'Loading');
  await waitFor(
    async () =>
      (
        await imports.office.sql(
          `select from import.requests where id = '${requestId}' and staging_tenant_id is not null`,
        )
      ).length > 0,
    { description: 'a staging tenant' },
  );
  await die({ held: 'import.totals' });
  await reached('Reconciling');
  await die();
  expect(await imports.until(leeds, requestId)).toMatchObject({ status: 'Validated', canPromote: true });
  await expectLoaded(credentials);
});

it('continues after lost connections, and reports what it cannot solve', async () => {
  source.server.faults.drop = { table: 'WorkItem', afterRows: 300, times: 2 };
  expect(await imports.until(leeds, await imports.import(leeds))).toMatchObject({ status: 'Validated' });
  source.server.faults.missing = ['WorkItem.Rate'];
  expect(await imports.until(leeds, await imports.import(leeds))).toMatchObject({
    status: 'Failed',
    message: expect.stringContaining('etl.WorkItem.Rate'),
    canPromote: false,
  });
  source.server.faults.missing = undefined;
  const failures: [Parameters<typeof source.server.connectionString>[0], string][] = [
    [{ password: 'Zq7!x-other' }, 'Check User ID and Password'],
    [{ name: 'nothing' }, 'database does not exist'],
    [
      { more: ['HostNameInCertificate=sql.firm.example'] },
      'certificate of the server is for another host name',
    ],
  ];
  for (const [parts, message] of failures) {
    const requestId = await imports.import(leeds, source.server.connectionString(parts));
    expect(await imports.until(leeds, requestId)).toMatchObject({
      status: 'Failed',
      message: expect.stringContaining(message),
    });
  }
});

it.each([
  ['Server=10.0.0.1;User ID=reader;Password=Zq7!x', 'host_not_allowed', 'operator allows'],
  ['Server=169.254.169.254;User ID=reader;Password=Zq7!x', 'host_not_allowed', 'operator allows'],
  ['Server=localhost;User ID=reader;Password=Zq7!x;Encrypt=false', 'invalid_connection_string', 'Encrypt'],
  ['Server=localhost;Integrated Security=true', 'invalid_connection_string', 'Integrated Security'],
  ['Zq7!x', 'invalid_connection_string', 'name=value'],
])('refuses %s', async (connectionString, code, detail) => {
  const answer = await leeds.post('etl/import', { connectionString });
  expectProblem(answer, 422, code, '/connectionString');
  expect(answer.body.detail).toContain(detail);
  imports.answers.push(JSON.stringify(answer.body));
});

it('is cancelled, and leaves nothing behind', async () => {
  source.server.faults.stall = { table: 'WorkItem', afterRows: 400 };
  const requestId = await imports.import(leeds);
  await imports.until(leeds, requestId, 'Extracting');
  const { status, body } = await leeds.post('etl/cancel', { requestId });
  expect([status, body.requestId]).toEqual([202, requestId]);
  expect(await imports.until(leeds, requestId)).toMatchObject({ status: 'Cancelled', canPromote: false });
  const [row] = await imports.office.sql<Json>(
    `select connection, to_regnamespace('import_' || replace(id::text, '-', '')) as staged
     from import.requests where id = '${requestId}'`,
  );
  expect(row).toEqual({ connection: null, staged: null });
  expect((await leeds.post('etl/cancel', { requestId })).status).toBe(202);
});

it('reports what is wrong, as pages and as CSV without formulas, and loads nothing', async () => {
  const [{ id }] = (await source.client.query(`select "ImportId" as id from etl."Matter" limit 1`)).rows;
  const change = (title: string | null, division: string) =>
    source.client.query(
      `update etl."Matter" set "DivisionId" = $2, "Title" = coalesce($3, "Title") where "ImportId" = $1`,
      [id, division, title],
    );
  const [before] = (
    await source.client.query(`select "DivisionId" as division from etl."Matter" where "ImportId" = $1`, [id])
  ).rows;
  await change(null, '=cmd|calc');
  const requestId = await imports.import(leeds);
  const ended = await imports.until(leeds, requestId);
  await change(null, before.division);
  expect(ended).toMatchObject({ status: 'ValidationFailed', canPromote: false, stagingTenant: null });
  expect(ended.validation.errors).toBeGreaterThan(0);
  const page = await leeds.data(
    'GET',
    `etl/import-report/${requestId}?table=Matter&severity=error&code=not_found`,
  );
  expect(page.rows).toEqual([
    expect.objectContaining({
      severity: 'error',
      code: 'not_found',
      table: 'Matter',
      importId: id,
      column: 'DivisionId',
    }),
  ]);
  const csv = await leeds.get(`etl/import-report/${requestId}`, { Accept: 'text/csv' });
  expect(csv.headers.get('content-type')).toContain('text/csv');
  const [head, ...lines] = String(csv.body).trimEnd().split('\r\n');
  expect(head).toBe('severity,code,table,importId,column,message');
  expect(lines).toHaveLength(ended.validation.errors + ended.validation.warnings);
  expect(csv.body).not.toMatch(/(^|,)"?=/m);
});

it('shows nothing of the imports of another tenant', async () => {
  const { api: york } = await imports.tenant('york');
  const requestId = await imports.import(leeds);
  for (const id of [requestId, NOBODYS, 'x']) {
    expectProblem(await york.get(`etl/import-status/${id}`), 404, 'not_found');
    expectProblem(await york.get(`etl/import-report/${id}`), 404, 'not_found');
  }
  for (const id of [requestId, NOBODYS])
    expectProblem(await york.post('etl/cancel', { requestId: id }), 404, 'not_found');
  expect(await imports.until(leeds, requestId)).toMatchObject({ status: 'Validated' });
});

it('serves the script of its tables', async () => {
  const { status, headers, body } = await leeds.get('etl/schema/1.0');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(body).toContain('CREATE TABLE [etl].[WorkItem]');
});

it('has neither logged, stored nor returned the password', async () => {
  expect(await imports.tablesWith('Zq7!x')).toEqual([]);
  expect(await imports.tablesWith('leeds--staging')).toContain('platform.tenants');
  expect(imports.office.output()).not.toMatch(/Zq7!x/);
  expect(imports.answers.join()).not.toMatch(/Zq7!x/);
  expect(imports.answers.length).toBeGreaterThan(10);
  expect(PASSWORD).toContain('Zq7!x');
});
