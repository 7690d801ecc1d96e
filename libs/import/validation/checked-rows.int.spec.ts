import { type Imports, openImports } from '../testing/import-parts';
import { stageRows } from '../testing/staged-rows';
import { checkedRowsOf, validationOf } from './testing/validation-of';

/** A promise, and what resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe('the checked rows of an import', () => {
  let imports: Imports;

  beforeAll(async () => {
    imports = await openImports('uk');
  });
  afterAll(() => imports.close());

  it('are no more those of a worker that stood still, once another has them', async () => {
    const run = await imports.run();
    await stageRows(imports, run, { Division: [{ ImportId: 'D-1', Name: 'Property' }] });
    const [begun, resumed] = [gate(), gate()];
    const stale = checkedRowsOf(imports).session(run, async (session) => {
      begun.open();
      await resumed.opened;
      await session.query(`insert into divisions (import_id, name) values ('D-1', 'Property')`);
    });
    const refused = expect(stale).rejects.toThrow(/connection/);
    await begun.opened;
    expect(await validationOf(imports).validate(run)).toEqual({ errors: 0, warnings: 0 });
    resumed.open();
    await refused;
    const rows = await imports.sql(`select from ${run.staging.schema}.divisions`);
    expect(rows).toHaveLength(1);
  });
});
