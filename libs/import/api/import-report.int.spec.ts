import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import { GetReport, GetReportHandler } from './import-report.queries';

describe('a report of very many findings', () => {
  const requestId = randomUUID();
  let store: TestStore;
  let context: Awaited<ReturnType<typeof createContext>>;

  beforeAll(async () => {
    store = await createTestStore([]);
    context = await createContext(store);
    await store.writes.pool.query(
      `with r as (
         insert into import.requests (id, tenant_id, message, requested_by, queued_at, updated_at)
         values ($1, $2, 'Checked', 'integration:test', now(), now()) returning id)
       insert into import.findings (request_id, severity, code, table_name, import_id, message)
       select id, case when n % 3 = 0 then 'warning' else 'error' end, 'c' || n % 2, 'WorkItem', n, 'Wrong.'
       from r, generate_series(1, 4500) n`,
      [requestId, context.tenant.id],
    );
  });
  afterAll(() => store?.close());

  /** The ImportIds in the CSV's lines. */
  async function keys(query: GetReport['query']): Promise<number[]> {
    const reply = await new GetReportHandler(store.writes).execute(
      new GetReport(context, requestId, query, 'text/csv'),
    );
    const [, ...lines] = (await text(reply.body as NodeJS.ReadableStream)).trimEnd().split('\r\n');
    return lines.map((line) => Number(line.split(',')[3]));
  }
  const numbers = Array.from({ length: 4_500 }, (_, index) => index + 1);
  const errors = numbers.filter((n) => n % 3 !== 0);
  const warnings = numbers.filter((n) => n % 3 === 0);

  it('lists all findings, errors first', async () => {
    expect(await keys({})).toEqual([...errors, ...warnings]);
  });

  it('lists only the findings that the query asks for', async () => {
    expect(await keys({ severity: 'warning' })).toEqual(warnings);
    expect(await keys({ code: 'c1', table: 'WorkItem' })).toEqual(
      [...errors, ...warnings].filter((n) => n % 2 === 1),
    );
    expect(await keys({ table: 'Matter' })).toEqual([]);
  });

  it.each(['text/csv', 'application/json'])(
    'has the header Vary: Accept when asked for as %s',
    async (accept) => {
      const asked = new GetReport(context, requestId, { code: 'c9' }, accept);
      expect((await new GetReportHandler(store.writes).execute(asked)).headers).toMatchObject({
        Vary: 'Accept',
      });
    },
  );

  it('shows equal amounts alike on all sides, and differences of less than a penny', async () => {
    await store.writes.pool.query(
      `insert into import.totals
         (request_id, measure, group_by, group_key, source_count, source_amount, control_amount, loaded_amount)
       values ($1, 'Work', 'Total', '', 3, 150.5, 150.5000, 150.50), ($1, 'Billed', 'Total', '', 1, 150, 150.0001, null)`,
      [requestId],
    );
    const { body } = await new GetReportHandler(store.writes).execute(
      new GetReport(context, requestId, { part: 'totals' }, undefined),
    );
    const { rows } = (body as { data: { rows: Record<string, string | null>[] } }).data;
    expect(
      rows.map(({ sourceAmount, controlAmount, loadedAmount }) => [
        sourceAmount,
        controlAmount,
        loadedAmount,
      ]),
    ).toEqual([
      ['150.00', '150.0001', null],
      ['150.50', '150.50', '150.50'],
    ]);
  });
});
