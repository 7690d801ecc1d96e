import { Client } from 'pg';
import { type Imports, openImports } from '../testing/import-parts';
import { stageRows } from '../testing/staged-rows';
import { validationOf } from './testing/validation-of';

describe('a validation reads a set once, and not again for each row, however large it is', () => {
  let imports: Imports;

  beforeAll(async () => {
    imports = await openImports();
  });
  afterAll(() => imports?.close());

  it.each([
    ['of rejected rows', / as rejected/],
    ['of records that the rows name', /^insert into existing/],
  ])('%s', async (_, which) => {
    const run = await imports.run();
    await stageRows(imports, run, { Division: [{ ImportId: 'D-1', Name: 'Property' }] });
    const asked = jest.spyOn(Client.prototype, 'query');
    await validationOf(imports).validate(run);
    const [text, values] = asked.mock.calls.find(([sql]) => which.test(String(sql)))!;
    asked.mockRestore();
    await imports.finish(run);
    await imports.client.query(`set search_path = ${run.staging.schema}, pg_catalog`);
    const plan = await imports.client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values as never);
    await imports.client.query('reset search_path');
    const lines = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
    // PostgreSQL hashes a SubPlan only while its estimate fits the memory.
    expect(lines).not.toContain('SubPlan');
  });
});
