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

  /** The plan of one of the statements of a validation. */
  async function planOf(isMeant: (text: string, values: unknown) => boolean): Promise<string> {
    const run = await imports.run();
    await stageRows(imports, run, { Division: [{ ImportId: 'D-1', Name: 'Property' }] });
    const asked = jest.spyOn(Client.prototype, 'query');
    await validationOf(imports).validate(run);
    const [text, values] = asked.mock.calls.find(([sql, given]) => isMeant(String(sql), given))!;
    asked.mockRestore();
    await imports.finish(run);
    await imports.client.query(`set search_path = ${run.staging.schema}, pg_catalog`);
    const plan = await imports.client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values as never);
    await imports.client.query('reset search_path');
    return plan.rows.map((row) => row['QUERY PLAN']).join('\n');
  }

  it.each([
    ['of rejected rows', / as rejected/],
    ['of records that the rows name', /^insert into existing/],
  ])('%s', async (_, which) => {
    // PostgreSQL hashes a SubPlan only while its estimate fits the memory.
    expect(await planOf((text) => which.test(text))).not.toContain('SubPlan');
  });

  it.each([
    ['of the types above a type', 'cycle', 'MatterType', 'Recursive'],
    ['of the rates of a tax code', 'rates_overlap', 'TaxRate', 'Join'],
  ])('%s', async (_, code, table, form) => {
    const plan = await planOf((__, values) => {
      const [, , is, of] = Array.isArray(values) ? values : [];
      return is === code && of === table;
    });
    expect(plan).not.toMatch(new RegExp(`${form}|SubPlan`));
  });
});
