import { Matter } from '#practice/matters/matter';
import { WorkItem } from '#practice/work-items/work-item';
import type { StagedRows } from '../../testing/staged-rows';
import { firm, ImportedFirm, invoice, together, work } from '../testing/imported-firm';
import { ownMatter } from '../testing/own-matter';

let office: ImportedFirm;
beforeAll(async () => {
  office = await ImportedFirm.open();
});
afterAll(() => office?.close());

it('an invoice and what it charges can be separated only while both are rows', async () => {
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

describe('closing a matter or deactivating a client', () => {
  const changed = (
    table: string,
    key: string,
    cells: Record<string, string>,
    base: StagedRows,
  ): StagedRows => ({
    ...base,
    [table]: base[table].map((row) => (row.ImportId === key ? { ...row, ...cells } : row)),
  });
  const closed = changed('Matter', 'MAT-4', { State: 'Closed', DateClosed: '2025-12-01' }, firm);
  const settled = changed('WorkItem', 'W-MAT-4', { State: 'WrittenOff', WriteOffDate: '2025-11-01' }, closed);
  const inactive = changed('Client', 'CLI-5', { State: 'Inactive' }, firm);
  const ended = changed('Matter', 'MAT-OF-5', { State: 'Closed', DateClosed: '2025-12-01' }, inactive);
  const without = (table: string, key: string, base: StagedRows): StagedRows => ({
    ...base,
    [table]: base[table].filter(({ ImportId }) => ImportId !== key),
  });

  it('is accepted when the rows leave nothing open on it', async () => {
    for (const rows of [settled, ended]) expect(await office.found({}, rows)).toEqual([]);
  });

  it('is refused when something open was imported before and is no longer a row', async () => {
    expect(await office.found({}, without('WorkItem', 'W-MAT-4', closed))).toEqual([
      'cannot_change Matter MAT-4',
    ]);
    expect(await office.found({}, without('Matter', 'MAT-OF-5', inactive))).toEqual([
      'cannot_change Client CLI-5',
    ]);
  });

  it('is refused when the tenant has something open of its own on it', async () => {
    await office.begins(WorkItem, 'workitem', 'WorkItemCreated', {
      matterId: office.idOf('Matter', 'MAT-4'),
      employeeId: office.idOf('Employee', 'EMP-1'),
      itemType: 1,
      entryDate: '2025-12-01T00:00:00.000Z',
      entryDay: '2025-12-01',
      durationTicks: 0,
      units: '1',
      unitsOverridden: false,
      minutesPerUnit: '6',
      rateSource: 'Request',
      total: '5',
      rate: { amount: '5', currency: 'GBP' },
      title: 'Call',
      taskTypeId: null,
      isBillable: true,
    });
    await office.begins(Matter, 'matter', 'MatterCreated', {
      ...ownMatter,
      clientId: office.idOf('Client', 'CLI-5'),
      matterNumber: 'M-900',
      divisionId: office.idOf('Division', 'D-1'),
      minutesPerUnit: null,
      dateOpened: '2025-01-01T00:00:00.000Z',
    });
    expect(await office.found({}, settled)).toEqual(['cannot_change Matter MAT-4']);
    expect(await office.found({}, ended)).toEqual(['cannot_change Client CLI-5']);
    expect(await office.found({})).toEqual([]);
  });
});
