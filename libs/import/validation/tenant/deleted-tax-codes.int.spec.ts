import { Invoice, type InvoiceState } from '#practice/invoices/invoice';
import { TaxCode } from '#practice/tax-codes/tax-code';
import { WorkItem } from '#practice/work-items/work-item';
import { Reconciliation } from '../../reconciliation/reconciliation';
import type { Imports } from '../../testing/import-parts';
import type { StagedRows } from '../../testing/staged-rows';
import { firm, ImportedFirm, invoice, together, work } from '../testing/imported-firm';
import { checkedRowsOf, validationOf } from '../testing/validation-of';

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

describe('a draft that is as it was imported, and was deleted since with the tax code that it used', () => {
  const unbilled = firm.WorkItem.filter(({ ImportId }) => ImportId !== 'W-BILLED');
  const base: StagedRows = {
    ...firm,
    WorkItem: [...unbilled, work('W-D', { MatterId: 'MAT-5', State: 'Finalised' })],
    Invoice: [
      invoice('D-1', { ClientId: 'CLI-1', MatterId: 'MAT-5', State: 'Draft', Number: '', IssueDate: '' }),
    ],
    InvoiceLine: [{ ImportId: 'L-1', InvoiceId: 'D-1', Kind: 'Fee', WorkItemId: 'W-D' }],
  };
  let office: ImportedFirm;

  afterEach(() => office?.close());

  async function open(rows: StagedRows, before?: (imports: Imports) => Promise<void>): Promise<void> {
    office = await ImportedFirm.open(before, rows);
    const { imports } = office;
    const draft = await imports.find<InvoiceState>(imports.tenant, office.idOf('Invoice', 'D-1'));
    await office.happens(WorkItem, office.idOf('WorkItem', 'W-D'), 'WorkItemReleased');
    await office.happens(Invoice, office.idOf('Invoice', 'D-1'), 'InvoiceDeleted');
    await office.happens(TaxCode, draft!.taxation.rates[0].taxCodeId, 'TaxCodeDeleted');
  }

  it.each([
    ['own, and there is another one', undefined],
    ['one of the import', (imports: Imports) => imports.dropStandardCodes()],
  ])('has no findings if the code was %s', async (_, before) => {
    await open(base, before);
    const { imports } = office;
    const run = await office.stage({}, base);
    expect(await validationOf(imports).validate(run)).toEqual({ errors: 0, warnings: 0 });
    const staging = await imports.loading().load(run);
    const reconciliation = new Reconciliation(checkedRowsOf(imports), imports.store.reads);
    expect(await reconciliation.reconcile(run, staging)).toEqual({ errors: 0 });
  });

  it('needs a tax code if none is left', async () => {
    const untaxed: StagedRows = { ...base, TaxCode: [], TaxRate: [], DisbursementCode: [], CostRecovery: [] };
    await open(untaxed);
    expect(await office.found({}, untaxed)).toEqual(['no_tax_rate InvoiceLine L-1 TaxCodeId']);
  });
});
