import { writeFirm } from '../../../test/support/firms/write-firm';
import { type Imports, openImports } from '../testing/import-parts';
import { stageSource } from '../testing/staged-source';
import { validationOf } from './testing/validation-of';

describe.each([
  ['uk', 200],
  ['uk', 5_000],
  ['au', 200],
  ['au', 5_000],
] as const)('a coherent firm in %s of %i items', (region, items) => {
  let imports: Imports;

  beforeAll(async () => {
    imports = await openImports(region);
    await imports.dropStandardCodes();
  });
  afterAll(() => imports.close());

  it('has no findings', async () => {
    const firm = await writeFirm(imports.client, { items, region });
    const run = await imports.run();
    await stageSource(imports.client, run.staging);
    const counts = await validationOf(imports).validate(run);
    const findings = await imports.sql('select * from import.findings');
    expect(findings).toEqual([]);
    expect(counts).toEqual({ errors: 0, warnings: 0 });
    for (const [table, rows] of Object.entries(firm.rows))
      expect([table, run.counts.get(table)]).toEqual([table, { valid: rows, rejected: 0 }]);
  });
});
