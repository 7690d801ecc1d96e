import type { Client } from 'pg';
import { type Imports, openImports } from '../testing/import-parts';
import { stageRows } from '../testing/staged-rows';
import { pagesOf, prepare } from './staging-rows';

/** A statement that waits for a lock in vain fails before the test times out. */
const SOON = `set statement_timeout = '10s'`;

const KEYS = ['D-1', 'D-2', 'D-3', 'D-4'];

describe('the rows of a staging area', () => {
  let imports: Imports;
  let sessions: Client[];

  beforeAll(async () => {
    imports = await openImports('uk');
  });
  beforeEach(() => {
    sessions = [];
  });
  afterEach(() => Promise.all(sessions.map((session) => session.end())));
  afterAll(() => imports.close());

  async function session(): Promise<Client> {
    const one = await imports.store.writes.session();
    sessions.push(one);
    await one.query(SOON);
    return one;
  }

  it('can no longer be read by a worker that stood still, once another worker reads them', async () => {
    const run = await imports.run();
    await stageRows(imports, run, { Division: KEYS.map((ImportId) => ({ ImportId, Name: 'Property' })) });
    const { signal } = run;
    const [stale, next] = [await session(), await session()];
    await prepare(stale, run.staging);
    const counted = `select import_id, table_name from ${run.staging.schema}.counted_by`;
    const query = `select "ImportId", "Name" from ${run.staging.table('Division')} d union all ${counted}`;
    const reading = pagesOf(stale, query, 1, signal);
    expect((await reading.next()).value).toHaveLength(1);

    await prepare(next, run.staging);
    const rest = async () => {
      for await (const page of reading) expect(page).toHaveLength(1);
    };
    await expect(rest()).rejects.toThrow(/connection/i);
    const again = pagesOf(next, `select "ImportId" from ${run.staging.table('Division')} d`, 1, signal);
    expect((await again.next()).value).toHaveLength(1);
    await again.return(undefined);
  });

  it('are gone once the import is over, although a worker that stood still reads them', async () => {
    const run = await imports.run();
    await stageRows(imports, run, { Division: KEYS.map((ImportId) => ({ ImportId, Name: 'Property' })) });
    const [stale, last] = [await session(), await session()];
    await prepare(stale, run.staging);
    const reading = pagesOf(
      stale,
      `select "ImportId" from ${run.staging.table('Division')} d`,
      1,
      run.signal,
    );
    expect((await reading.next()).value).toHaveLength(1);
    await run.staging.drop(last);
    await reading.return(undefined);
    expect(await imports.sql('select to_regnamespace($1)::text as there', [run.staging.schema])).toEqual([
      { there: null },
    ]);
  });
});
