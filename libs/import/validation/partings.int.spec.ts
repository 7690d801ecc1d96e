import { firm, ImportedFirm, invoice, together, work } from './testing/imported-firm';

let office: ImportedFirm;
beforeAll(async () => {
  office = await ImportedFirm.open();
});
afterAll(() => office?.close());

it('an invoice and what it charges part only while both are rows', async () => {
  const draft = invoice('I-D', {
    ClientId: 'CLI-1',
    MatterId: 'MAT-5',
    State: 'Draft',
    Number: '',
    IssueDate: '',
  });
  const drafted = { WorkItem: [work('W-D', { MatterId: 'MAT-5', State: 'Finalised' })], Invoice: [draft] };
  const line = { ImportId: 'L-D', InvoiceId: 'I-D', Kind: 'Fee', WorkItemId: 'W-D' };
  await office.promote(together(firm, { ...drafted, InvoiceLine: [line] }));
  expect(await office.found(drafted)).toEqual([]);
  expect(await office.found({})).toEqual([]);
  expect(await office.found({ WorkItem: drafted.WorkItem })).toEqual(['cannot_change WorkItem W-D']);
  expect(await office.found({ Invoice: drafted.Invoice })).toEqual(['cannot_change Invoice I-D']);

  const unbilled = firm.WorkItem.map((row) =>
    row.ImportId === 'W-BILLED' ? { ...row, State: 'Finalised' } : row,
  );
  const without = { ...firm, WorkItem: unbilled, Invoice: [], InvoiceLine: [] };
  expect(await office.found({}, without)).toEqual(['cannot_change WorkItem W-BILLED']);
  const [issued] = firm.Invoice;
  const voided = { ...without, Invoice: [{ ...issued, State: 'Voided' }], InvoiceLine: firm.InvoiceLine };
  expect(await office.found({}, voided)).toEqual([]);
});
