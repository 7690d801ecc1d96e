import { Door } from '#event-bus/testing/door';
import { waitFor } from '../../../test/support/wait-for';
import { type Imports, openImports } from '../testing/import-parts';
import { stageRows } from '../testing/staged-rows';
import { checkedRowsOf, validationOf } from './testing/validation-of';

describe('the checked rows of an import', () => {
  let imports: Imports;

  beforeAll(async () => {
    imports = await openImports('uk');
  });
  afterAll(() => imports.close());

  it('can no longer be written by a worker that stood still, once another worker has them', async () => {
    const run = await imports.run();
    await stageRows(imports, run, { Division: [{ ImportId: 'D-1', Name: 'Property' }] });
    const door = new Door();
    const stale = checkedRowsOf(imports).session(run, async (session) => {
      await door.pass();
      await session.query(`insert into divisions (import_id, name) values ('D-1', 'Property')`);
    });
    const refused = expect(stale).rejects.toThrow(/connection/);
    await waitFor(() => door.reached, { description: 'the first worker to begin' });
    expect(await validationOf(imports).validate(run)).toEqual({ errors: 0, warnings: 0 });
    door.open();
    await refused;
    const rows = await imports.sql(`select from ${run.staging.schema}.divisions`);
    expect(rows).toHaveLength(1);
  });
});
