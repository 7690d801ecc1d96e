import { toId } from '#kernel/ids';
import { Client } from '#practice/clients/client';
import { Entity } from '#practice/entities/entity';
import { Matter } from '#practice/matters/matter';
import { TaxCode } from '#practice/tax-codes/tax-code';
import { Tenant } from '#practice/tenants/tenant';
import { Reconciliation } from '../../reconciliation/reconciliation';
import type { Imports } from '../../testing/import-parts';
import { cost, firm, ImportedFirm, invoice, matter, together, work } from '../testing/imported-firm';
import { checkedRowsOf, validationOf } from '../testing/validation-of';

describe('rows on matters and clients that production has changed since their import', () => {
  let office: ImportedFirm;

  beforeAll(async () => {
    office = await ImportedFirm.open();
  });
  afterEach(() => office?.finish());
  afterAll(() => office?.close());

  it('are counted in the units and taxed by the code that their matter or client has now', async () => {
    const erased = { shownAs: 'Erased 1234', anonymisedOn: '2025-12-01T00:00:00.000Z' };
    await office.happens(Entity, office.idOf('Entity', 'ENT-9'), 'EntityAnonymised', erased);
    await office.happens(Matter, office.idOf('Matter', 'MAT-4'), 'MatterUpdated', { minutesPerUnit: '12' });
    await office.happens(Client, office.idOf('Client', 'CLI-5'), 'ClientUpdated', { minutesPerUnit: '15' });
    await office.happens(Matter, office.idOf('Matter', 'MAT-5'), 'MatterUpdated', {
      taxCodeId: office.idOf('TaxCode', 'TAX-2'),
    });
    const wrong = {
      WorkItem: [
        work('N-1', { MatterId: 'MAT-4', Units: '10.0000' }),
        work('N-2', { MatterId: 'MAT-OF-5', Units: '10.0000' }),
        work('N-3', { MatterId: 'N-1', Units: '10.0000' }),
      ],
      Matter: [matter('N-1', { ClientId: 'CLI-5' })],
    };
    expect(await office.found(wrong)).toEqual([
      'units_differ WorkItem N-1 Units',
      'units_differ WorkItem N-2 Units',
      'units_differ WorkItem N-3 Units',
    ]);
    const right = {
      Matter: [matter('N-1', { ClientId: 'CLI-5' })],
      WorkItem: [
        work('N-1', { MatterId: 'MAT-4', Units: '5.0000' }),
        work('N-2', { MatterId: 'MAT-OF-5' }),
        work('N-3', { MatterId: 'N-1' }),
        work('N-4', { MatterId: 'MAT-5', State: 'Billed' }),
      ],
      Invoice: [invoice('N-1', { ClientId: 'CLI-1', MatterId: 'MAT-5', Total: '200.0000' })],
      InvoiceLine: [{ ImportId: 'N-1', InvoiceId: 'N-1', Kind: 'Fee', WorkItemId: 'N-4' }],
    };
    const { imports } = office;
    const run = await office.stage(right);
    expect(await validationOf(imports).validate(run)).toEqual({ errors: 0, warnings: 0 });
    const staging = await imports.loading().load(run);
    const unitsIn = async (tenant: Parameters<Imports['find']>[0], key: string) => {
      const item = await imports.find<{ units: string; minutesPerUnit: string }>(
        tenant,
        office.idOf('WorkItem', key),
      );
      return [item?.minutesPerUnit, item?.units];
    };
    const counted = async (tenant: Parameters<Imports['find']>[0]) =>
      Promise.all(['W-MAT-4', 'N-1', 'N-2', 'N-3'].map((key) => unitsIn(tenant, key)));
    const expected = [
      ['6', '10'],
      ['12', '5'],
      ['15', '4'],
      ['15', '4'],
    ];
    expect(await counted(staging)).toEqual(expected);
    const reconciliation = new Reconciliation(checkedRowsOf(imports), imports.store.reads);
    expect(await reconciliation.reconcile(run, staging)).toEqual({ errors: 0 });
    // The import does not restore anybody's erased personal data.
    expect(await imports.find(staging, office.idOf('Entity', 'ENT-9'))).toMatchObject({
      name: expect.stringMatching(/^Erased /),
    });
    await office.finish();

    const all = together(firm, right);
    expect(await office.promote(all)).toEqual({ created: 6, changed: 0 });
    expect(await counted(imports.tenant)).toEqual(expected);
    // Equal rows stay equal whatever happens to the matters later.
    await office.happens(Matter, office.idOf('Matter', 'MAT-4'), 'MatterUpdated', { minutesPerUnit: null });
    await office.happens(Matter, office.idOf('Matter', 'MAT-5'), 'MatterUpdated', { taxCodeId: null });
    expect(await office.promote(all)).toEqual({ created: 0, changed: 0 });
  });
});

it('rows that were imported before stay equal when their tenant counts in other units and has another Standard code', async () => {
  // Without Standard codes of the tenant, the import's own code taxes lines that name none.
  const office = await ImportedFirm.open((imports) => imports.dropStandardCodes());
  try {
    const { imports } = office;
    const settings = toId('tenant', imports.tenant.streamId);
    await office.happens(Tenant, settings, 'TenantSettingsChanged', { minutesPerUnit: '12' });
    await office.begins(TaxCode, 'taxcode', 'TaxCodeCreated', {
      code: 'NEW',
      name: 'New',
      scheme: 'VAT',
      category: 'Standard',
      rates: [{ percent: '5', from: '2000-01-01', to: null }],
    });
    const more = {
      WorkItem: [work('N-1', { MatterId: 'MAT-1' }), work('N-2', { MatterId: 'MAT-5', State: 'Billed' })],
      Invoice: [invoice('N-1', { ClientId: 'CLI-1', MatterId: 'MAT-5', Total: '210.0000' })],
      InvoiceLine: [{ ImportId: 'N-1', InvoiceId: 'N-1', Kind: 'Fee', WorkItemId: 'N-2' }],
    };
    expect(await office.promote(together(firm, more))).toEqual({ created: 3, changed: 0 });
    expect(await imports.find(imports.tenant, office.idOf('WorkItem', 'N-1'))).toMatchObject({
      minutesPerUnit: '12',
      units: '5',
    });
  } finally {
    await office.close();
  }
});

it('invoices whose lines name their tax codes stay equal whichever code taxes lines that name none', async () => {
  const office = await ImportedFirm.open((imports) => imports.dropStandardCodes());
  try {
    const of = (TaxCodeId: string) => ({
      ImportId: `L-${TaxCodeId}`,
      InvoiceId: `I-${TaxCodeId}`,
      TaxCodeId,
    });
    const on = (TaxCodeId: string) => invoice(`I-${TaxCodeId}`, { ClientId: 'CLI-1', MatterId: 'MAT-4' });
    const named = {
      WorkItem: ['TAX-1', 'TAX-2'].map((key) => work(`W-${key}`, { MatterId: 'MAT-4', State: 'Billed' })),
      Invoice: ['TAX-1', 'TAX-2'].map(on),
      InvoiceLine: ['TAX-1', 'TAX-2'].map((key) => ({ ...of(key), Kind: 'Fee', WorkItemId: `W-${key}` })),
    };
    const all = together(firm, named);
    await office.promote(all);
    // Before, one line named the Standard code and the other did not; now it is the other way round.
    await office.happens(Matter, office.idOf('Matter', 'MAT-4'), 'MatterUpdated', {
      taxCodeId: office.idOf('TaxCode', 'TAX-2'),
    });
    expect(await office.promote(all)).toEqual({ created: 0, changed: 0 });
    await office.begins(TaxCode, 'taxcode', 'TaxCodeCreated', {
      code: 'NEW',
      name: 'New',
      scheme: 'VAT',
      category: 'Standard',
      rates: [{ percent: '5', from: '2000-01-01', to: null }],
    });
    await office.happens(Matter, office.idOf('Matter', 'MAT-4'), 'MatterUpdated', { taxCodeId: null });
    expect(await office.promote(all)).toEqual({ created: 0, changed: 0 });
  } finally {
    await office.close();
  }
});

it('costs that were billed keep their tax code when their disbursement code is given another', async () => {
  const office = await ImportedFirm.open();
  try {
    const billed = {
      CostRecovery: [cost('C-BILLED', { MatterId: 'MAT-5', State: 'Billed' })],
      Invoice: [invoice('I-C', { ClientId: 'CLI-1', MatterId: 'MAT-5', Total: '6.0000' })],
      InvoiceLine: [{ ImportId: 'L-C', InvoiceId: 'I-C', Kind: 'CostRecovery', CostRecoveryId: 'C-BILLED' }],
    };
    await office.promote(together(firm, billed));
    const [code, ...codes] = firm.DisbursementCode;
    const otherwise = { ...firm, DisbursementCode: [{ ...code, TaxCodeId: 'TAX-2' }, ...codes] };
    const unbilled = { CostRecovery: [cost('C-OPEN', {})] };
    const all = together(together(otherwise, billed), unbilled);
    expect(await office.promote(all)).toEqual({ created: 1, changed: 1 });
    const taxed = async (key: string) =>
      (
        await office.imports.find<{ taxCodeId: string }>(
          office.imports.tenant,
          office.idOf('CostRecovery', key),
        )
      )?.taxCodeId;
    expect(await taxed('C-BILLED')).toBe(office.idOf('TaxCode', 'TAX-1'));
    expect(await taxed('C-OPEN')).toBe(office.idOf('TaxCode', 'TAX-2'));
    expect(await office.promote(all)).toEqual({ created: 0, changed: 0 });
  } finally {
    await office.close();
  }
});
