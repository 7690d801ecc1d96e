import { recordId } from '../records/record-id';
import { type Imports, openImports } from '../testing/import-parts';
import { promotionParts } from '../testing/promotion-parts';
import { stageRows } from '../testing/staged-rows';

describe('the default rate set of an import', () => {
  let imports: Imports;
  let parts: ReturnType<typeof promotionParts>;

  beforeEach(async () => {
    imports = await openImports();
    imports.runner.start();
    parts = promotionParts(imports);
  });
  afterEach(() => imports.close());

  const staged = (IsDefault: string) =>
    parts.staged((run) =>
      stageRows(imports, run, {
        RateSet: [{ ImportId: 'RS-1', Name: 'Standard', Currency: 'GBP', IsDefault }],
      }),
    );
  const defaultId = async () => (await imports.existing.defaultRates(imports.tenant))?.id;
  const ours = () => recordId(imports.tenant.streamId, 'Ledger', 'RateSet', 'RS-1');

  it('becomes that of the tenant, although a worker died when the first one was no longer the default', async () => {
    const append = imports.bulk.append.bind(imports.bulk);
    jest
      .spyOn(imports.bulk, 'append')
      .mockImplementationOnce(append)
      .mockRejectedValueOnce(new Error('The worker died'));
    const turn = await staged('1');
    await expect(parts.promotion.promote(turn)).rejects.toThrow('The worker died');
    expect(await defaultId()).toBeUndefined();
    await parts.promotion.promote(parts.again(turn));
    expect(await defaultId()).toBe(ours());
  });

  it('becomes that of the tenant when only a later import makes it the default', async () => {
    const first = await staged('0');
    await parts.promotion.promote(first);
    await parts.over(first);
    const before = await defaultId();
    expect([before === undefined, before === ours()]).toEqual([false, false]);
    await parts.promotion.promote(await staged('1'));
    expect(await defaultId()).toBe(ours());
  });
});
