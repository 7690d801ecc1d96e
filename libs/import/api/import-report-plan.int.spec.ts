import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Imports, openImports } from '../testing/import-parts';
import { GetReport, GetReportHandler } from './import-report.queries';

describe('a page of a report', () => {
  let imports: Imports;

  beforeAll(async () => {
    imports = await openImports();
  });
  afterEach(async () => {
    await imports?.client.query(`update import.requests set status = 'Validated'`);
  });
  afterAll(() => imports?.close());

  async function planOf(sql: unknown, values: unknown): Promise<string> {
    const plan = await imports.client.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, values as never);
    return plan.rows.map((row) => row['QUERY PLAN']).join('\n');
  }

  it('is read through an index and without sorting, however many findings there are', async () => {
    const { requestId } = await imports.run();
    await imports.client.query(
      `insert into import.findings (request_id, severity, code, table_name, import_id, message)
       select $1, (array['error', 'warning'])[1 + n % 2], 'not_found', 'Matter', n, 'It is nowhere.'
       from generate_series(1, 20000) n`,
      [requestId],
    );
    // Analysed, as autovacuum would do.
    await imports.client.query('analyze import.findings');
    const { writes } = imports.store;
    const asked = jest.spyOn(writes.pool, 'query');
    const query = { pageIndex: 199, pageSize: 50 };
    const page = new GetReport(imports.production, requestId, query as never, 'application/json');
    const { body } = await new GetReportHandler(writes).execute(page);
    expect(body).toMatchObject({ data: { hasMore: true, rows: { 0: { severity: 'error' } } } });
    const [sql, values] = asked.mock.calls.find(([one]) => /import\.findings/.test(String(one)))!;
    asked.mockRestore();
    const lines = await planOf(sql, values);
    expect(lines).toContain('findings_paged');
    expect(lines).not.toContain('Sort');
  });

  it('begins after the last total of the page before, in CSV', async () => {
    const { requestId } = await imports.run();
    await imports.client.query(
      `insert into import.totals (request_id, measure, group_by, group_key)
       select $1, measure, group_by, case group_by when 'Total' then '' else lpad(n::text, 4, '0') end
       from unnest(array['Billed', 'Work']) measure, unnest(array['Total', 'Matter', 'FeeEarner']) group_by,
         generate_series(1, 1500) n
       where group_by <> 'Total' or n = 1`,
      [requestId],
    );
    await imports.client.query('analyze import.totals');
    const { writes } = imports.store;
    const asked = jest.spyOn(writes.pool, 'query');
    const all = new GetReport(imports.production, requestId, { part: 'totals' }, 'text/csv');
    const { body } = await new GetReportHandler(writes).execute(all);
    const [, ...lines] = (await text(body as Readable)).trimEnd().split('\r\n');
    const pages = asked.mock.calls.filter(([sql]) => /import\.totals/.test(String(sql)));
    asked.mockRestore();
    const keys = Array.from({ length: 1_500 }, (_, n) => String(n + 1).padStart(4, '0'));
    const ofMeasures = (group: string, within: string[]) =>
      ['Billed', 'Work'].flatMap((measure) => within.map((key) => `${measure},${group},${key}`));
    expect(lines.map((line) => line.split(',').slice(0, 3).join())).toEqual([
      ...ofMeasures('Total', ['']),
      ...ofMeasures('Matter', keys),
      ...ofMeasures('FeeEarner', keys),
    ]);
    const [sql, values] = pages.at(-1)!;
    const plan = await planOf(sql, values);
    expect(plan).toMatch(/totals_pkey.*Index Cond: .*ROW\(measure, group_by, group_key\) >/s);
    expect(plan).not.toContain('Sort');
  });
});
