import { once } from 'node:events';
import { connect } from 'node:net';
import { Logger } from '@nestjs/common';
import { Agent, request } from 'undici';
import { waitFor } from '../../test/support/wait-for';
import { ReportStatements } from './report-statements';
import { Firm, workedExamples } from './testing/firm';
import { cols, ReportsApplication } from './testing/reports-application';

let reports: ReportsApplication;
let url: string;

const asked = (...names: string[]) =>
  JSON.stringify({
    query: 'query ($slice: AggregationSliceSpecInput) { work_item_listing(slice: $slice) }',
    variables: { slice: { cols: cols(...names) } },
  });
const headers = { authorization: 'Bearer good', 'content-type': 'application/json' };

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1, two: 2 });
  await workedExamples(await new Firm(reports.pool, 1).open());
  await reports.app.listen(0, '127.0.0.1');
  url = `${await reports.app.getUrl()}/one/graphql`;
});

afterAll(() => reports.stop());

const waiting = async (expected: number) => {
  const text = `select count(*)::int as count from pg_locks where not granted
    and relation = 'read_model.work_items'::regclass and database = (select oid from pg_database where datname = current_database())`;
  const isSo = async () => (await reports.pool.query<{ count: number }>(text)).rows[0].count === expected;
  await waitFor(isSo, { description: `${expected} reports to wait` });
};

it('the query of a report ends when its client goes away, and no other query does', async () => {
  const agent = new Agent();
  const ask = (signal?: AbortSignal) =>
    request(url, {
      method: 'POST',
      headers,
      body: asked('id', 'title'),
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

describe('answers that their clients do not read', () => {
  /** More bytes than a connection buffers. */
  const LONG = 30_000_000;

  beforeAll(async () => {
    const firm = await new Firm(reports.pool, 2).open();
    const employee_id = await firm.employee('E');
    const entry_date = '2025-04-01T10:00:00Z';
    await firm.workItem({ employee_id, entry_date, units: 1, title: 'x'.repeat(LONG) });
    reports.app.get(ReportStatements).mostUnread = LONG / 2;
  });

  const ask = async (tenant: string) => {
    const to = url.replace('/one/', `/${tenant}/`);
    const { statusCode, body } = await request(to, { method: 'POST', headers, body: asked('id') });
    return { statusCode, answer: (await body.json()) as { errors?: [{ extensions: { reason: string } }] } };
  };
  const free = () =>
    waitFor(async () => (await ask('two')).statusCode === 200, {
      description: 'a report of the second tenant to be answered',
    });

  /** A client of the second tenant that requests a long answer and reads none of it. */
  const idle = async () => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const body = asked('title');
    const lines = Object.entries({ ...headers, host: hostname, 'content-length': body.length });
    socket.write(
      `POST /two/graphql HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    );
    await once(socket, 'readable');
    return socket;
  };

  it.each(['reads it', 'leaves'])(
    'block reports of their tenant only, until the client of such an answer %s',
    async (end) => {
      await free();
      const socket = await idle();
      const { statusCode, answer } = await ask('two');
      expect([statusCode, answer.errors?.[0].extensions.reason]).toEqual([503, 'reports_busy']);
      expect((await ask('one')).statusCode).toBe(200);
      if (end === 'leaves') socket.destroy();
      else socket.resume();
      await free();
      socket.destroy();
    },
  );

  it('are limited for each tenant: its next request is refused at once, which is not logged as a failure', async () => {
    await free();
    reports.app.get(ReportStatements).mostUnread = Number.POSITIVE_INFINITY;
    const sockets = await Promise.all(Array.from({ length: 5 }, idle));
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const { statusCode, answer } = await ask('two');
    expect([statusCode, answer]).toMatchObject([503, { code: 'answers_unread' }]);
    expect((await ask('one')).statusCode).toBe(200);
    expect(logged).not.toHaveBeenCalled();
    logged.mockRestore();
    for (const socket of sockets) socket.destroy();
  });
});
