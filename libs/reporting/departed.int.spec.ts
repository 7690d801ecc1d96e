import { Agent, request } from 'undici';
import { waitFor } from '../../test/support/wait-for';
import { Firm, workedExamples } from './testing/firm';
import { cols, ReportsApplication } from './testing/reports-application';

let reports: ReportsApplication;
let url: string;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
  await workedExamples(await new Firm(reports.pool, 1).open());
  await reports.app.listen(0, '127.0.0.1');
  url = `${await reports.app.getUrl()}/one/graphql`;
});

afterAll(() => reports.stop());

const waiting = async (expected: number) => {
  const text = `select count(*)::int as count from pg_locks where not granted and relation = 'read_model.work_items'::regclass`;
  const isSo = async () => (await reports.pool.query<{ count: number }>(text)).rows[0].count === expected;
  await waitFor(isSo, { description: `${expected} to wait` });
};

it('what a report reads ends when its client goes away, and nothing else does', async () => {
  const agent = new Agent();
  const ask = (signal?: AbortSignal) =>
    request(url, {
      method: 'POST',
      headers: { authorization: 'Bearer good', 'content-type': 'application/json' },
      body: JSON.stringify({
        query: 'query ($slice: AggregationSliceSpecInput) { work_item_listing(slice: $slice) }',
        variables: { slice: { cols: cols('id', 'title') } },
      }),
      dispatcher: agent,
      signal,
    });
  const client = await reports.pool.connect();
  await client.query('begin; lock table read_model.work_items in access exclusive mode');
  const controller = new AbortController();
  const departing = ask(controller.signal).catch((error: Error) => error.name);
  const staying = ask();
  await waiting(2);
  controller.abort();
  await waiting(1);
  await client.query('commit');
  client.release();
  expect(await departing).toBe('AbortError');
  const { statusCode, body } = await staying;
  expect(statusCode).toBe(200);
  expect(await body.json()).toMatchObject({ data: { work_item_listing: { length: 6 } } });
  await agent.close();
});
