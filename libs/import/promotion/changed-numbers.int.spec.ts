import { CLIENT_NUMBER } from '#practice/clients/client';
import { INVOICE_NUMBER } from '#practice/invoices/invoice';
import { MATTER_NUMBER } from '#practice/matters/matter';
import { firm, ImportedFirm, invoice, work } from '../validation/testing/imported-firm';

describe('numbers of changed rows', () => {
  let office: ImportedFirm;
  const bill = { ClientId: 'CLI-1', MatterId: 'MAT-1', Number: '9', DueDate: '2025-07-30' };
  const { Number: _, IssueDate: __, DueDate: ___, ...draft } = invoice('I-2', { ...bill, State: 'Draft' });
  const rows = (last: string, isIssued: boolean) => ({
    ...firm,
    Client: firm.Client.map((row, n) => ({ ...row, ClientNumber: n === 4 ? last : String(n + 1) })),
    Matter: firm.Matter.map((row, n) => ({ ...row, MatterNumber: n === 5 ? last : String(n + 1) })),
    WorkItem: [
      ...firm.WorkItem,
      work('W-2', { MatterId: 'MAT-1', State: isIssued ? 'Billed' : 'Finalised' }),
    ],
    Invoice: [...firm.Invoice, isIssued ? invoice('I-2', bill) : draft],
    InvoiceLine: [...firm.InvoiceLine, { ImportId: 'L-2', InvoiceId: 'I-2', Kind: 'Fee', WorkItemId: 'W-2' }],
  });

  beforeAll(async () => {
    office = await ImportedFirm.open(undefined, rows('6', false));
  });
  afterAll(() => office?.close());

  it('move the counters on, so that no other record is given them', async () => {
    const { existing, tenant } = office.imports;
    expect(await existing.counters(tenant)).toMatchObject({ [CLIENT_NUMBER]: 6, [MATTER_NUMBER]: 6 });
    expect(await office.promote(rows('7', true))).toMatchObject({ created: 0, changed: 4 });
    expect(await existing.counters(tenant)).toMatchObject({
      [CLIENT_NUMBER]: 7,
      [MATTER_NUMBER]: 7,
      [INVOICE_NUMBER]: 9,
    });
  });
});
