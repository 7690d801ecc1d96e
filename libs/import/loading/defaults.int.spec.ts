import { at } from '#event-store/load';
import { Division } from '#practice/divisions/division';
import { recordId } from '../records/record-id';
import { type Imports, openImports } from '../testing/import-parts';
import { promotionParts } from '../testing/promotion-parts';
import { type StagedRows, stageRows } from '../testing/staged-rows';

const rates = (ImportId: string, IsDefault: string) => ({
  ImportId,
  Name: `Rates ${ImportId}`,
  Currency: 'GBP',
  IsDefault,
});

describe('a staging tenant', () => {
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

  async function load(rows: StagedRows) {
    const run = await imports.run();
    await stageRows(imports, run, rows);
    const staging = await imports.loading().load(run);
    await imports.finish(run);
    return staging;
  }

  const idOf = (table: string, key: string) => recordId(imports.tenant.streamId, 'Ledger', table, key);

  it.each([
    ['with entries', [{ ImportId: 'RE-1', RateSetId: 'RS-1', Rate: '100', Per: 'Hour' }]],
    ['without entries', []],
  ])(
    'has the default rate set of an earlier import, %s, even when the rows now name another',
    async (_, entries) => {
      await promote({ RateSet: [rates('RS-1', '1')], RateSetEntry: entries });
      const rows = { RateSet: [rates('RS-1', '0'), rates('RS-2', '1')], RateSetEntry: entries };
      expect((await imports.existing.defaultRates(await load(rows)))?.id).toBe(idOf('RateSet', 'RS-1'));
      await promote(rows);
      expect((await imports.existing.defaultRates(imports.tenant))?.id).toBe(idOf('RateSet', 'RS-1'));
    },
  );

  it('has the default division of its parent, also when an earlier import brought that division', async () => {
    const rows = { Division: ['D-1', 'D-2'].map((ImportId) => ({ ImportId, Name: ImportId })) };
    await promote(rows);
    const { existing, production, tenant } = imports;
    const before = (await existing.defaultDivision(tenant))!;
    expect((await existing.defaultDivision(await load(rows)))?.id).toBe(before.id);
    await imports.store.store.execute(production, async (work) => {
      const { next } = await work.load({ next: at(Division, idOf('Division', 'D-2')) });
      work.change(Division, before, [{ type: 'DivisionUpdated', data: { isDefault: false } }]);
      return work.change(Division, next!, [{ type: 'DivisionUpdated', data: { isDefault: true } }]);
    });
    expect((await existing.defaultDivision(await load(rows)))?.id).toBe(idOf('Division', 'D-2'));
  });
});
