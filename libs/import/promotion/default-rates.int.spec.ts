import { recordId } from '../records/record-id';
import { openImports } from '../testing/import-parts';
import { promotionParts } from '../testing/promotion-parts';
import { stageRows } from '../testing/staged-rows';

it('makes the default rate set of the rows the default, although a worker died after it had taken that from the first one', async () => {
  const imports = await openImports();
  try {
    imports.runner.start();
    const { promotion, staged, again } = promotionParts(imports);
    const append = imports.bulk.append.bind(imports.bulk);
    jest
      .spyOn(imports.bulk, 'append')
      .mockImplementationOnce(append)
      .mockRejectedValueOnce(new Error('The worker died'));
    const rates = { ImportId: 'RS-1', Name: 'Standard', Currency: 'GBP', IsDefault: '1' };
    const turn = await staged((run) => stageRows(imports, run, { RateSet: [rates] }));
    await expect(promotion.promote(turn)).rejects.toThrow('The worker died');
    expect(await imports.existing.defaultRates(imports.tenant)).toBeUndefined();
    await promotion.promote(again(turn));
    const id = recordId(imports.tenant.streamId, 'Ledger', 'RateSet', 'RS-1');
    expect((await imports.existing.defaultRates(imports.tenant))?.id).toBe(id);
  } finally {
    await imports.close();
  }
});
