import { Logger } from '@nestjs/common';
import { waitFor } from '../../../test/support/wait-for';
import type { Parameters, SourceConnection } from '../connection/source-connection';
import { SourceFailure } from '../connection/source-failure';
import { resetTables, tableStates } from '../requests/import-tables';
import { tables } from '../schema/schema-1.0';
import { type ExtractionParts, openExtraction } from '../testing/extraction-parts';
import type { StagedRowCollector } from './staged-rows';
import { TableExtraction } from './table-extraction';

const table = tables.find(({ name }) => name === 'Role')!;
const columns = table.columns.map((column) => ({ ...column, isPadded: false }));

/** A source with keys that no test server can hold, in its order. Its connection breaks once, after the given row. */
function sourceOf(keys: readonly string[], breaksAfter: number): SourceConnection {
  let isWhole = false;
  const rows = async function* (_sql: string, collector: StagedRowCollector, { after = '' }: Parameters) {
    if (after.length > 4_000) throw new Error('A parameter has 4,000 characters at most');
    const rest = keys.filter((key) => key >= after);
    for (const key of isWhole ? rest : rest.slice(0, breaksAfter)) {
      collector.add(columns.map(({ name }) => (name === 'ImportId' ? key : 'x')));
      yield collector.take()!;
    }
    if (isWhole) return;
    isWhole = true;
    throw new SourceFailure('connection_lost', 'The connection broke off.', 'lost');
  };
  return { rows } as unknown as SourceConnection;
}

let parts: ExtractionParts;

beforeAll(async () => {
  Logger.overrideLogger(false);
  parts = await openExtraction();
});
afterEach(() => parts.finish());
afterAll(() => parts?.close());

describe('keys that PostgreSQL cannot hold', () => {
  it.each([
    ['a key with a NUL', ['A', 'A\0', 'AB', 'B'], 2],
    ['a key with half a character', ['A', 'A\ud800', 'A\ud801', 'A\ud802', 'B'], 3],
    ['a key longer than a parameter', ['A', 'B'.repeat(5_000), 'C'], 2],
  ])('are read once each when the connection breaks after %s', async (_name, keys, breaksAfter) => {
    await parts.queue();
    const { turn } = (await parts.take())!;
    await turn.staging.create(parts.client);
    await resetTables(parts.client, turn.requestId);
    const source = sourceOf(keys, breaksAfter);
    const settings = { chunkRows: 1, chunkMs: 60_000 } as never;
    const from = { table, columns };
    // Another worker continues, which knows only the stored progress.
    for (const isLast of [false, true]) {
      const state = (await tableStates(parts.client, turn.requestId)).find(
        ({ name }) => name === table.name,
      )!;
      const run = new TableExtraction(parts.client, turn, from, state, settings).run(source);
      if (isLast) await run;
      else await expect(run).rejects.toMatchObject({ code: 'connection_lost' });
    }
    const { rows } = await parts.client.query<{ key: string }>(
      `select "ImportId" as key from ${turn.staging.table(table.name)} order by 1`,
    );
    expect(rows.map(({ key }) => key)).toEqual(
      keys.map((key) => key.replaceAll('\0', '\ufffd').toWellFormed()).sort(),
    );
  });
});

describe('a source that is slow', () => {
  /** A source that yields the given number of rows at once, and the same number after the promise. */
  function sourceThatWaits(count: number, waited: Promise<void>): SourceConnection {
    const rows = async function* (_sql: string, collector: StagedRowCollector) {
      for (let number = 0; number < 2 * count; number++) {
        if (number === count) await waited;
        collector.add(columns.map(({ name }) => (name === 'ImportId' ? `R${number}` : 'x'.repeat(200))));
        yield collector.take()!;
      }
    };
    return { rows } as unknown as SourceConnection;
  }

  async function extraction(source: SourceConnection) {
    await parts.queue();
    const { turn } = (await parts.take({ leaseMs: 60_000 }))!;
    await turn.staging.create(parts.client);
    await resetTables(parts.client, turn.requestId);
    const states = await tableStates(parts.client, turn.requestId);
    const state = states.find(({ name }) => name === table.name)!;
    const reading = await parts.store.writes.session();
    const settings = { chunkRows: 1_000_000, chunkMs: 200 } as never;
    const run = new TableExtraction(reading, turn, { table, columns }, state, settings).run(source);
    return { turn, run: run.finally(() => reading.end()) };
  }

  const held = async () =>
    (
      await parts.client.query(
        'select from pg_stat_activity where datname = current_database() and backend_xid is not null',
      )
    ).rowCount;

  it('does not hold up readers of the feed by a transaction that stays open', async () => {
    let goOn = () => {};
    const waited = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { turn, run } = await extraction(sourceThatWaits(500, waited));
    const staged = async () =>
      (await parts.client.query(`select from ${turn.staging.table(table.name)}`)).rowCount === 500;
    await waitFor(staged, { description: 'the first rows to be committed' }).finally(goOn);
    expect(await held()).toBe(0);
    await run;
    expect((await parts.client.query(`select from ${turn.staging.table(table.name)}`)).rowCount).toBe(1_000);
  });
});
