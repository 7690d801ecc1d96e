import { Logger } from '@nestjs/common';
import type { Parameters, Source } from '../connection/source';
import { SourceFailure } from '../connection/source-failure';
import { resetTables, tableStates } from '../requests/import-tables';
import { tables } from '../schema/schema-1.0';
import { type ExtractionParts, openExtraction } from '../testing/extraction-parts';
import type { StagedRowCollector } from './staged-rows';
import { TableExtraction } from './table-extraction';

const table = tables.find(({ name }) => name === 'Role')!;
const columns = table.columns.map((column) => ({ ...column, isPadded: false }));

/** A source whose keys no test server holds, in its order; its line breaks behind so many rows, once. */
function sourceOf(keys: readonly string[], breaksAfter: number): Source {
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
  return { rows } as unknown as Source;
}

describe('keys that PostgreSQL cannot hold', () => {
  let parts: ExtractionParts;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    parts = await openExtraction();
  });
  afterEach(() => parts.finish());
  afterAll(() => parts?.close());

  it.each([
    ['a NUL', ['A', 'A\0', 'AB', 'B'], 2],
    ['half a character', ['A', 'A\ud800', 'A\ud801', 'A\ud802', 'B'], 3],
    ['more characters than a parameter', ['A', 'B'.repeat(5_000), 'C'], 2],
  ])('are read once each, though the line breaks behind %s', async (_name, keys, breaksAfter) => {
    await parts.queue();
    const { turn } = (await parts.take())!;
    await turn.staging.create(parts.client);
    await resetTables(parts.client, turn.requestId);
    const source = sourceOf(keys, breaksAfter);
    const settings = { chunkRows: 1, chunkMs: 60_000 } as never;
    const from = { table, columns };
    // Another worker goes on, who knows what was written down.
    for (const isLast of [false, true]) {
      const state = (await tableStates(parts.client, turn.requestId)).find(
        ({ name }) => name === table.name,
      )!;
      const run = new TableExtraction(parts.client, turn, from, state, settings).run(source);
      if (isLast) await run;
      else await expect(run).rejects.toMatchObject({ code: 'connection_lost' });
    }
    const { rows } = await parts.client.query<{ key: string }>(
      `select "ImportId" as key from ${turn.staging.table(table)} order by 1`,
    );
    expect(rows.map(({ key }) => key)).toEqual(
      keys.map((key) => key.replaceAll('\0', '\ufffd').toWellFormed()).sort(),
    );
  });
});
