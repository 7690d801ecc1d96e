import { Logger } from '@nestjs/common';
import type { Firm } from '../../../test/support/firms/firm';
import { writeFirm } from '../../../test/support/firms/write-firm';
import { waitFor } from '../../../test/support/wait-for';
import { SourceFailure } from '../connection/source-failure';
import { LeaseLost, WorkerEnding } from '../requests/import-request';
import { tableStates } from '../requests/import-tables';
import { StagingArea } from '../staging/staging-area';
import { type ExtractionParts, openExtraction } from '../testing/extraction-parts';

let parts: ExtractionParts;
let firm: Firm;

beforeAll(async () => {
  Logger.overrideLogger(false);
  parts = await openExtraction();
  firm = await writeFirm(parts.client, { items: 2_000 });
});
afterEach(async () => {
  Object.assign(parts.source.faults, {
    drop: undefined,
    stall: undefined,
    error: undefined,
    missing: undefined,
    denied: undefined,
    refuseConnections: undefined,
    refuseLogin: undefined,
    silent: undefined,
  });
  await parts.finish();
});
afterAll(() => parts?.close());

/** Queues an import, and has a worker take it. */
async function worker(...settings: Parameters<ExtractionParts['take']>) {
  const requestId = await parts.queue();
  return { requestId, ...(await parts.take(...settings))! };
}

async function expectWhole(requestId: string): Promise<void> {
  expect(await parts.differing(requestId)).toEqual([]);
  const states = await tableStates(parts.client, requestId);
  expect(states.filter(({ isComplete }) => !isComplete)).toEqual([]);
  expect(Object.fromEntries(states.map(({ name, read }) => [name, read]))).toEqual(firm.rows);
  const { rows } = await parts.client.query<{ name: string; total: string }>(
    'select name, total from import.tables where request_id = $1',
    [requestId],
  );
  expect(Object.fromEntries(rows.map(({ name, total }) => [name, Number(total)]))).toEqual(firm.rows);
}

const resumed = () => parts.source.queries.filter((query) => query.includes('@after'));

it('stages every row as the source has it', async () => {
  const { requestId, run, turn } = await worker();
  await run();
  await expectWhole(requestId);
  expect(turn.step).toBe('Extracting');
  const { rows } = await parts.client.query('select schema_version from import.requests where id = $1', [
    requestId,
  ]);
  expect(rows).toEqual([{ schema_version: '1.0' }]);
});

it('continues after the last key when the connection breaks, and when the server is busy', async () => {
  const before = resumed().length;
  parts.source.faults.drop = { table: 'WorkItem', afterRows: 800, times: 2 };
  parts.source.faults.error = { number: 1205, table: 'InvoiceLine', afterRows: 30, times: 1 };
  const { requestId, run } = await worker();
  await run();
  await expectWhole(requestId);
  expect(resumed().length - before).toBeGreaterThanOrEqual(3);
});

it('breaks off when the server goes silent, and continues when it answers again', async () => {
  parts.source.faults.stall = { table: 'WorkItem', afterRows: 900 };
  const { requestId, run } = await worker({ stallMs: 400 });
  const running = run();
  await waitFor(() => resumed().some((query) => query.includes('WorkItem')), { description: 'another try' });
  parts.source.faults.stall = undefined;
  await running;
  await expectWhole(requestId);
});

it.each([
  ['drop', { drop: { table: 'Matter', afterRows: 0 } }, 'connection_lost'],
  ['stall', { stall: { table: 'Matter', afterRows: 0 } }, 'stalled'],
  ['deadlock', { error: { number: 1205, table: 'Matter', afterRows: 0 } }, 'server_busy'],
])('fails after some tries without progress: %s', async (_name, faults, code) => {
  Object.assign(parts.source.faults, faults);
  const { run } = await worker({ mostTries: 2, ...(code === 'stalled' && { stallMs: 300 }) });
  await expect(run()).rejects.toMatchObject({ code });
});

it('another worker continues where one was killed', async () => {
  parts.source.faults.stall = { table: 'WorkItem', afterRows: 1_200 };
  const { requestId, run, turn } = await worker({ stallMs: 60_000 });
  const running = run();
  const staged = async () =>
    (await tableStates(parts.client, requestId)).find(({ name }) => name === 'WorkItem')?.read ?? 0;
  await waitFor(async () => (await staged()) >= 1_000, { description: 'two chunks to be staged' });
  // The worker no longer renews its lease, but may still write.
  await turn.close();
  const next = (await waitFor(() => parts.take(), { description: 'the lease to end' }))!;
  parts.source.faults.stall = undefined;
  expect(next.turn.requestId).toBe(requestId);
  expect(next.turn.deaths).toBe(1);
  await next.run();
  await expect(running).rejects.toBeInstanceOf(LeaseLost);
  await expectWhole(requestId);
});

it('the workers that die over a source are counted until it has been read', async () => {
  parts.source.faults.stall = { table: 'WorkItem', afterRows: 700 };
  const { requestId, requests, ...first } = await worker({ stallMs: 60_000 });
  let { run, turn } = first;
  for (const deaths of [1, 2, 3]) {
    const running = run();
    const status = async () =>
      (await parts.client.query('select status from import.requests where id = $1', [requestId])).rows[0]
        .status;
    await waitFor(async () => (await status()) === 'Extracting', { description: 'the rows to be read' });
    turn.abort(new WorkerEnding());
    await expect(running).rejects.toBeInstanceOf(WorkerEnding);
    await turn.close();
    // Nothing is released, as if the worker had been killed.
    ({ run, turn } = (await waitFor(() => parts.take({ stallMs: 60_000 }), {
      description: 'the lease to end',
    }))!);
    expect(turn.deaths).toBe(deaths);
  }
  parts.source.faults.stall = undefined;
  await run();
  await turn.advance('Validating');
  await requests.release(requestId, turn.worker);
  expect((await parts.take())!.turn.deaths).toBe(0);
});

it('a worker stages nothing when another took the import before it had begun to read', async () => {
  const { requestId, run, turn } = await worker();
  const advance = turn.advance.bind(turn);
  turn.advance = async (to) => {
    await advance(to);
    if (to !== 'Extracting') return;
    await turn.close();
    await (await waitFor(() => parts.take(), { description: 'the lease to end' }))!.run();
  };
  await expect(run()).rejects.toBeInstanceOf(LeaseLost);
  await expectWhole(requestId);
});

it('stops when its process ends, and leaves the rest to the next worker', async () => {
  parts.source.faults.stall = { table: 'WorkItem', afterRows: 700 };
  const { requestId, run, turn, requests } = await worker({ stallMs: 60_000 });
  const running = run();
  await waitFor(
    async () =>
      (await tableStates(parts.client, requestId)).some(({ name, read }) => name === 'WorkItem' && read > 0),
    { description: 'a chunk to be staged' },
  );
  turn.abort(new WorkerEnding());
  await expect(running).rejects.toBeInstanceOf(WorkerEnding);
  await requests.release(requestId, turn.worker);
  parts.source.faults.stall = undefined;
  const next = (await parts.take())!;
  expect(next.turn.deaths).toBe(0);
  await next.run();
  await expectWhole(requestId);
});

it('begins again when a crash of the database server has emptied a staged table', async () => {
  const { requestId, run, turn, requests } = await worker();
  await run();
  await requests.release(requestId, turn.worker);
  await turn.close();
  await parts.client.query(`truncate ${new StagingArea(requestId).table('WorkItem')}`);
  const next = (await parts.take())!;
  await next.run();
  await expectWhole(requestId);
});

it('notices rows that were added to a table that it had read already', async () => {
  parts.source.faults.stall = { table: 'Payment', afterRows: 0 };
  const { run } = await worker();
  const running = run();
  await waitFor(() => parts.source.queries.at(-1)?.includes('[Payment] order by'), {
    description: 'the table Payment to be read',
  });
  await parts.client.query(`insert into etl."Division" ("ImportId", "Name") values ('BEHIND', 'Late')`);
  parts.source.faults.stall = undefined;
  await expect(running).rejects.toMatchObject({
    code: 'source_changed',
    message: expect.stringContaining('the table etl.Division.'),
  });
  await parts.client.query(`delete from etl."Division" where "ImportId" = 'BEHIND'`);
});

describe('rows with missing, blank or repeated keys', () => {
  afterEach(() => parts.client.query(`delete from etl."Payment" where "Reference" = 'odd'`));

  it.each([1, 2, 3, 4, 5, 6])(
    'are read once each, although the connection breaks after row %i',
    async (afterRows) => {
      await parts.client.query(
        `insert into etl."Payment" ("ImportId", "InvoiceId", "Date", "Amount", "Reference")
       select k, 'I', '2026-01-01', n, 'odd'
       from unnest(array[null, null, '', ' ', '!', '!', '! ']) with ordinality u(k, n)`,
      );
      parts.source.faults.drop = { table: 'Payment', afterRows, times: 1 };
      const { requestId, run } = await worker({ chunkRows: 1 });
      await run();
      expect(await parts.differing(requestId)).toEqual([]);
    },
  );
});

it.each([
  [{ missing: ['Payment', 'Role'] }, 'table_missing', 'the tables etl.Role, etl.Payment'],
  [{ missing: ['WorkItem.Rate'] }, 'column_missing', 'the column etl.WorkItem.Rate'],
  [
    { denied: ['Matter'] },
    'table_missing',
    'not visible to the user: the table etl.Matter. Grant the user SELECT',
  ],
])('names what is missing in the source: %j', async (faults, code, text) => {
  Object.assign(parts.source.faults, faults);
  const { run } = await worker();
  await expect(run()).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
});

it('works without an optional column', async () => {
  parts.source.faults.missing = ['Invoice.Total'];
  const { requestId, run } = await worker();
  await run();
  const table = new StagingArea(requestId).table('Invoice');
  const { rows } = await parts.client.query(
    `select count(*)::int as rows, count("Total")::int as totals from ${table}`,
  );
  expect(rows).toEqual([{ rows: firm.rows.Invoice, totals: 0 }]);
});

it('stages texts of a fixed length without the blanks that fill them up', async () => {
  const typed = (type: string) =>
    parts.client.query(`
      alter table etl."Info" alter "SchemaVersion" type ${type};
      alter table etl."Matter" alter "ImportId" type ${type}, alter "State" type ${type}, alter "MatterNumber" type ${type};
      alter table etl."WorkItem" alter "MatterId" type ${type}`);
  await typed('char(120)');
  parts.source.faults.drop = { table: 'Matter', afterRows: 5, times: 1 };
  const { requestId, run } = await worker({ chunkRows: 3 });
  await run();
  await typed('text');
  await expectWhole(requestId);
});

it('refuses another version of the tables', async () => {
  await parts.client.query(`update etl."Info" set "SchemaVersion" = '2.0'`);
  const { run } = await worker();
  await expect(run()).rejects.toMatchObject({ code: 'schema_version' });
  await parts.client.query(`update etl."Info" set "SchemaVersion" = '1.0'`);
});

it('names all that is wrong with the tables at once', async () => {
  await parts.client.query('alter table etl."Matter" alter "FeeEstimate" type float8');
  parts.source.faults.missing = ['Role', 'WorkItem.Rate'];
  const { run } = await worker();
  const failure = await run().catch((error: unknown) => error);
  await parts.client.query('alter table etl."Matter" alter "FeeEstimate" type numeric(19,4)');
  const all =
    /the table etl\.Role\..*the column etl\.WorkItem\.Rate\..*the column etl\.Matter\.FeeEstimate \(/;
  expect(failure).toMatchObject({ code: 'table_missing', message: expect.stringMatching(all) });
});

it('refuses a type that loses digits', async () => {
  await parts.client.query('alter table etl."Matter" alter "FeeEstimate" type float8');
  const { run } = await worker();
  const failure = await run().catch((error: unknown) => error);
  await parts.client.query('alter table etl."Matter" alter "FeeEstimate" type numeric(19,4)');
  expect(failure).toBeInstanceOf(SourceFailure);
});
