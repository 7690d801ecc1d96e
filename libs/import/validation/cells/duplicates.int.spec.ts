import { type Imports, openImports } from '../../testing/import-parts';
import { stageRows } from '../../testing/staged-rows';
import { firm, together, work } from '../testing/imported-firm';
import { validationOf } from '../testing/validation-of';

describe('rows that share an ImportId', () => {
  let imports: Imports;

  beforeAll(async () => {
    imports = await openImports('uk');
  });
  afterAll(() => imports?.close());

  it('get findings about the cells of each of them', async () => {
    const run = await imports.run();
    const more = {
      Division: [{ ImportId: 'D-1', Name: '' }],
      WorkItem: [
        work('W-MAT-1', { State: 'Open', Rate: '1,5' }),
        work('W-MAT-1', { Rate: '-1' }),
        work('', { Rate: 'none' }),
      ],
    };
    await stageRows(imports, run, together(firm, more));
    await validationOf(imports).validate(run);
    const found = await imports.sql<{ found: string }>(
      `select concat_ws(' ', code, table_name, import_id, column_name) as found
       from import.findings where request_id = $1 and table_name in ('Division', 'WorkItem') order by 1`,
      [run.requestId],
    );
    expect(found.map((one) => one.found)).toEqual([
      'duplicate_key Division D-1 ImportId',
      'duplicate_key WorkItem W-MAT-1 ImportId',
      'invalid_choice WorkItem W-MAT-1 State',
      'invalid_value WorkItem Rate',
      'invalid_value WorkItem W-MAT-1 Rate',
      'out_of_range WorkItem W-MAT-1 Rate',
      'required Division D-1 Name',
      'required WorkItem ImportId',
    ]);
    expect(run.counts.get('WorkItem')).toMatchObject({ valid: 5, rejected: 4 });
  });
});
