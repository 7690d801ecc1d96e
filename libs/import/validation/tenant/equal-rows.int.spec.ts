import { CostRecovery } from '#practice/cost-recoveries/cost-recovery';
import { Invoice } from '#practice/invoices/invoice';
import { WorkItem } from '#practice/work-items/work-item';
import type { StagedRows } from '../../testing/staged-rows';
import { firm, ImportedFirm, invoice, together, work } from '../testing/imported-firm';

const fee = (ImportId: string, InvoiceId: string, WorkItemId: string, cells = {}) => ({
  ImportId,
  InvoiceId,
  WorkItemId,
  Kind: 'Fee',
  ...cells,
});

/** Invoices besides those of the firm: a draft, and two of which the source voids one and charges its work again. */
const books: StagedRows = together(firm, {
  WorkItem: [
    work('W-DRAFT', { MatterId: 'MAT-4', State: 'Finalised' }),
    work('W-AGAIN', { MatterId: 'MAT-3', State: 'Billed' }),
    work('W-FREE', { MatterId: 'MAT-3', State: 'Finalised' }),
  ],
  Invoice: [
    invoice('I-D', { ClientId: 'CLI-1', MatterId: 'MAT-4', State: 'Draft', Number: '', IssueDate: '' }),
    invoice('I-V', { ClientId: 'CLI-1', MatterId: 'MAT-3' }),
    invoice('I-OVER', { ClientId: 'CLI-1', MatterId: 'MAT-3', State: 'Voided' }),
  ],
  InvoiceLine: [
    fee('L-D', 'I-D', 'W-DRAFT'),
    fee('L-V', 'I-V', 'W-AGAIN', { Amount: '200.0000' }),
    fee('L-OVER', 'I-OVER', 'W-FREE', { Amount: '200.0000' }),
  ],
});

/** The rows of a source in which some cells of single rows are different. */
function changed(
  rows: StagedRows,
  cells: Record<string, Record<string, Record<string, string>>>,
): StagedRows {
  return Object.fromEntries(
    Object.entries(rows).map(([table, list]) => [
      table,
      list.map((row) => ({ ...row, ...cells[table]?.[row.ImportId] })),
    ]),
  );
}

describe('a row that equals that of an earlier import', () => {
  let office: ImportedFirm;

  beforeAll(async () => {
    office = await ImportedFirm.open(undefined, books);
    const day = '2025-07-20';
    await office.happens(Invoice, office.idOf('Invoice', 'I-1'), 'InvoicePartPaid', {
      payment: { id: 1, day, amount: '10', reference: null },
    });
    await office.happens(Invoice, office.idOf('Invoice', 'I-D'), 'InvoiceUpdated', { dueDate: day });
    await office.happens(WorkItem, office.idOf('WorkItem', 'W-MAT-1'), 'WorkItemUpdated', { title: 'Call' });
    await office.happens(CostRecovery, office.idOf('CostRecovery', 'C-1'), 'CostRecoveryUpdated', {
      description: 'Land registry',
    });
  });
  afterEach(() => office.finish());
  afterAll(() => office?.close());

  it.each<[string, Parameters<typeof changed>[1]]>([
    ['the terms of its client', { Client: { 'CLI-1': { PaymentTermsDays: '12' } } }],
    ['the narration of its task type', { TaskType: { 'TT-2': { Narration: 'Telephone call' } } }],
    ['the name of its disbursement code', { DisbursementCode: { 'DC-2': { Name: 'Searches' } } }],
  ])(
    'prevents nothing though its record was edited in production and the source changes %s',
    async (_, cells) => {
      const found = await office.found({}, changed(books, cells));
      expect(found.filter((one) => one.startsWith('edited_since_import'))).toEqual([]);
    },
  );

  it('still is a change where money that it leaves to another row is different', async () => {
    const dearer = changed(books, { WorkItem: { 'W-DRAFT': { Rate: '210.0000000000' } } });
    expect(await office.found({}, dearer)).toEqual(['edited_since_import Invoice I-D']);
  });

  it('lets work of a voided invoice be valued and charged again', async () => {
    const repriced = changed(books, {
      WorkItem: {
        'W-AGAIN': { Rate: '150.0000000000' },
        'W-FREE': { Rate: '150.0000000000', State: 'Billed' },
      },
      Invoice: { 'I-V': { State: 'Voided' } },
    });
    const again = {
      Invoice: [invoice('I-N', { ClientId: 'CLI-1', MatterId: 'MAT-3' })],
      InvoiceLine: [fee('L-N1', 'I-N', 'W-AGAIN'), fee('L-N2', 'I-N', 'W-FREE')],
    };
    expect(await office.found(again, repriced)).toEqual([]);
    // Both records of work, the voided invoice and the new one: everything else is equal.
    expect(await office.promote(together(repriced, again))).toEqual({ created: 1, changed: 3 });
    expect(await office.promote(together(repriced, again))).toEqual({ created: 0, changed: 0 });
  });
});
