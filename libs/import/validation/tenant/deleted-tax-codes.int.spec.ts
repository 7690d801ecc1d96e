import { TaxCode } from '#practice/tax-codes/tax-code';
import type { StagedRows } from '../../testing/staged-rows';
import { firm, ImportedFirm, invoice, together, work } from '../testing/imported-firm';

describe('lines that name no tax code', () => {
  let office: ImportedFirm;
  const more: StagedRows = {
    WorkItem: [work('N-1', { MatterId: 'MAT-5', State: 'Billed' })],
    Invoice: [invoice('N-1', { ClientId: 'CLI-1', MatterId: 'MAT-5' })],
    InvoiceLine: [{ ImportId: 'N-1', InvoiceId: 'N-1', Kind: 'Fee', WorkItemId: 'N-1' }],
  };
  const unbilled = firm.WorkItem.filter(({ ImportId }) => ImportId !== 'W-BILLED');
  const base: StagedRows = { ...firm, WorkItem: unbilled, Invoice: [], InvoiceLine: [] };

  beforeAll(async () => {
    office = await ImportedFirm.open((imports) => imports.dropStandardCodes(), base);
    await office.happens(TaxCode, office.idOf('TaxCode', 'TAX-1'), 'TaxCodeDeleted');
  });
  afterEach(() => office?.finish());
  afterAll(() => office?.close());

  it('are not taxed by one that the tenant has deleted since its import', async () => {
    expect(await office.found({}, base)).toEqual([]);
    expect(await office.found(more, base)).toEqual(['no_tax_rate InvoiceLine N-1 TaxCodeId']);
  });

  it('are taxed by the one that the tenant has made since', async () => {
    const rates = [{ percent: '15', from: '2011-01-04', to: null }];
    const fields = { code: 'OURS', name: 'Ours', scheme: 'VAT', category: 'Standard', rates };
    const id = await office.begins(TaxCode, 'taxcode', 'TaxCodeCreated', fields);
    await office.promote(together(base, more));
    const made = await office.imports.find(office.imports.tenant, office.idOf('Invoice', 'N-1'));
    expect(made).toMatchObject({ taxation: { rates: [{ taxCodeId: id, percent: '15' }] } });
  });
});
