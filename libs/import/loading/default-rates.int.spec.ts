import { recordId } from '../records/record-id';
import { type Imports, openImports } from '../testing/import-parts';
import { promotionParts } from '../testing/promotion-parts';
import { type StagedRows, stageRows } from '../testing/staged-rows';

const rates = (ImportId: string, IsDefault: string) => ({
  ...{ ImportId, Name: `Rates ${ImportId}`, Currency: 'GBP', IsDefault },
});

describe('the default rates of a staging tenant', () => {
  let imports: Imports;

  beforeEach(async () => {
    imports = await openImports();
    imports.runner.start();
  });
  afterEach(() => imports.close());

  async function promote(rows: StagedRows) {
    const { promotion, staged, over } = promotionParts(imports);
    const turn = await staged((run) => stageRows(imports, run, rows));
    await promotion.promote(turn);
    await over(turn);
  }

  async function defaultsWith(rows: StagedRows) {
    const run = await imports.run();
    await stageRows(imports, run, rows);
    const staging = await imports.loading().load(run);
    await imports.finish(run);
    return (await imports.existing.defaultRates(staging))?.id;
  }

  const idOf = (key: string) => recordId(imports.tenant.streamId, 'Ledger', 'RateSet', key);

  it.each([
    ['with charges', [{ ImportId: 'RE-1', RateSetId: 'RS-1', Rate: '100', Per: 'Hour' }]],
    ['without any', []],
  ])(
    'are those that an import before has brought, %s, also where the rows name others now',
    async (_, entries) => {
      await promote({ RateSet: [rates('RS-1', '1')], RateSetEntry: entries });
      const rows = { RateSet: [rates('RS-1', '0'), rates('RS-2', '1')], RateSetEntry: entries };
      expect(await defaultsWith(rows)).toBe(idOf('RS-1'));
      await promote(rows);
      expect((await imports.existing.defaultRates(imports.tenant))?.id).toBe(idOf('RS-1'));
    },
  );
});
