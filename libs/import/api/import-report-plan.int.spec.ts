import { type Imports, openImports } from '../testing/import-parts';
import { GetReport, GetReportHandler } from './import-report.queries';

describe('a page of the findings', () => {
  let imports: Imports;

  beforeAll(async () => {
    imports = await openImports();
  });
  afterAll(() => imports?.close());

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
    const [text, values] = asked.mock.calls.find(([sql]) => /import\.findings/.test(String(sql)))!;
    asked.mockRestore();
    const plan = await imports.client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values as never);
    const lines = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).toContain('findings_paged');
    expect(lines).not.toContain('Sort');
  });
});
