import { createHash } from 'node:crypto';
import { type Imports, openImports } from '../../testing/import-parts';
import { stageRows } from '../../testing/staged-rows';
import { validationOf } from '../testing/validation-of';

/** A long text that an index cannot compress, as it consists of digests. */
const LONG = Array.from({ length: 300 }, (_, n) => createHash('sha256').update(`${n}`).digest('hex')).join(
  '',
);
const MOST = '9'.repeat(38);

describe('cells beyond what the declared tables hold', () => {
  let imports: Imports;

  beforeAll(async () => {
    imports = await openImports('uk');
  });
  afterAll(() => imports.close());

  it('get findings like any others: keys of any length, and numbers with any number of digits', async () => {
    const run = await imports.run();
    const rows = {
      Division: [{ ImportId: LONG, Name: 'With a long key' }],
      Employee: [
        {
          ImportId: 'E',
          EntityId: 'P',
          DivisionId: LONG,
          IsFeeEarner: '1',
          State: 'Active',
          DefaultRate: MOST,
        },
      ],
      Entity: [{ ImportId: 'P', EntityType: 'Individual', LastName: 'Hopper' }],
      ControlTotal: [
        { ImportId: 'C', Measure: 'Work', GroupBy: 'Total', Count: MOST, Amount: `-${MOST}.1234` },
      ],
    };
    await stageRows(imports, run, rows);
    expect(await validationOf(imports).validate(run)).toEqual({ errors: 5, warnings: 0 });
    const found = await imports.sql<{ found: string }>(
      `select concat_ws(' ', code, table_name, left(import_id, 3), column_name) as found
       from import.findings where request_id = $1 order by id`,
      [run.requestId],
    );
    expect(found.map((one) => one.found)).toEqual([
      `too_long Division ${LONG.slice(0, 3)} ImportId`,
      'too_long Employee E DivisionId',
      'out_of_range Employee E DefaultRate',
      'out_of_range ControlTotal C Count',
      'out_of_range ControlTotal C Amount',
    ]);
    expect(run.counts.get('Division')).toMatchObject({ valid: 0, rejected: 1 });
    await imports.finish(run);
  });

  it('get findings when they are rates of more than 15 digits, or above the largest', async () => {
    const run = await imports.run();
    const rates = ['250000', '999999999.0', '99999.1234567891', '250000.1234567890', '0.0000000001'];
    const refused = ['250000.1234567891', '999999999.01', '-1', '1.00000000001'];
    await stageRows(imports, run, {
      TaskType: [...rates, ...refused].map((_, n) => ({ ImportId: `T${n}`, Code: `T${n}`, Name: `T${n}` })),
      RateSet: [{ ImportId: 'R', Name: 'Rates', Currency: 'GBP', IsDefault: '0' }],
      RateSetEntry: [...rates, ...refused].map((Rate, n) => ({
        ImportId: `E${n}`,
        RateSetId: 'R',
        TaskTypeId: `T${n}`,
        Rate,
        Per: 'Hour',
      })),
    });
    await validationOf(imports).validate(run);
    const found = await imports.sql<{ found: string }>(
      `select concat_ws(' ', code, import_id, message) as found from import.findings
       where request_id = $1 and table_name = 'RateSetEntry' order by import_id`,
      [run.requestId],
    );
    expect(found.map((one) => one.found)).toEqual([
      expect.stringMatching(/^\w+ E5 .*a rate of at most 10 decimals and 15 digits in all/),
      expect.stringMatching(/^out_of_range E6 /),
      expect.stringMatching(/^out_of_range E7 /),
      expect.stringMatching(/^\w+ E8 .*a rate of at most 10 decimals and 15 digits in all/),
    ]);
  });
});
