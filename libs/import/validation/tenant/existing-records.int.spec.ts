import { type Imports, openImports } from '../../testing/import-parts';
import { stageRow } from '../../testing/staged-source';
import { type Books, openBooks, SOURCE } from '../testing/books';
import { validationOf } from '../testing/validation-of';

describe('rows that refer to records of the tenant', () => {
  let imports: Imports;
  let books: Books;
  let run: Awaited<ReturnType<Imports['run']>>;

  beforeAll(async () => {
    imports = await openImports('uk');
    books = await openBooks(imports);
  });
  beforeEach(async () => {
    run = await imports.run();
    await run.staging.create(imports.client);
    await add('Info', 'INFO', {
      SchemaVersion: '1.0',
      SourceSystem: SOURCE,
      ExtractedAtUtc: '2026-01-01T06:00:00.0000000',
      CutoverDate: '2025-12-31',
      BaseCurrency: 'GBP',
      TimeZone: 'Europe/London',
    });
  });
  afterEach(() => imports.finish(run));
  afterAll(() => imports.close());

  const add = (table: string, importId: string, cells: Record<string, string>) =>
    stageRow(imports.client, run.staging, table, { ImportId: importId, ...cells });

  const work = (id: string, cells: Record<string, string>) =>
    add('WorkItem', id, {
      MatterId: books.open,
      EmployeeId: books.employee,
      ItemType: 'Timed',
      State: 'Pending',
      IsBillable: '1',
      EntryDate: '2025-03-03T10:00:00.0000000',
      DurationTicks: '36000000000',
      Rate: '200.0000000000',
      RateCurrency: 'GBP',
      ...cells,
    });
  const invoice = (id: string, cells: Record<string, string>) =>
    add('Invoice', id, {
      ClientId: books.active,
      MatterId: books.open,
      Number: id,
      IssueDate: '2025-06-30',
      Currency: 'GBP',
      State: 'Issued',
      ...cells,
    });
  const client = (id: string, cells: Record<string, string>) =>
    add('Client', id, { State: 'Active', ...cells });

  async function found(): Promise<string[]> {
    await validationOf(imports).validate(run);
    const rows = await imports.sql<{ found: string }>(
      `select concat_ws(' ', code, table_name, import_id, column_name) as found
       from import.findings where request_id = $1 order by 1`,
      [run.requestId],
    );
    return rows.map((row) => row.found);
  }

  it('are accepted when the records exist and are in use, with work counted in the units of their matters', async () => {
    // Five units of twelve minutes, taxed by the tenant's Standard code.
    await work('W-1', { Units: '5.0000', State: 'Billed' });
    await invoice('I-1', { Total: '240.0000' });
    await add('InvoiceLine', 'L-1', { InvoiceId: 'I-1', Kind: 'Fee', WorkItemId: 'W-1' });
    expect(await found()).toEqual([]);
  });

  it('are refused when the records are of another kind, deleted, out of use, closed or erased', async () => {
    await work('W-1', { EmployeeId: books.left });
    await work('W-2', { MatterId: books.closed });
    await work('W-3', { MatterId: books.active });
    await client('C-1', { EntityId: books.erased });
    await add('Matter', 'M-1', {
      ClientId: books.inactive,
      DivisionId: 'D-1',
      Title: 'Lease',
      State: 'Open',
      DateOpened: '2025-01-01T00:00:00.0000000',
    });
    await add('Division', 'D-1', { Name: 'Property' });
    await invoice('I-1', { ClientId: books.deleted, State: 'Draft', Number: '' });
    const rate = { Rate: '10', Per: 'Unit', EffectiveFrom: '2025-01-01' };
    await add('ApplicableRate', 'A-1', { Scope: 'Matter', ScopeId: books.closed, ...rate });
    await add('ApplicableRate', 'A-2', { Scope: 'Matter', ScopeId: books.active, ...rate });
    expect(await found()).toEqual([
      'not_found Invoice I-1 ClientId',
      'not_found WorkItem W-3 MatterId',
      'wrong_kind ApplicableRate A-2 ScopeId',
      'wrong_state ApplicableRate A-1 ScopeId',
      'wrong_state Client C-1 EntityId',
      'wrong_state Matter M-1 ClientId',
      'wrong_state WorkItem W-1 EmployeeId',
      'wrong_state WorkItem W-2 State',
    ]);
  });

  it('cannot have a number, an entity or a rate that those records have', async () => {
    await add('Entity', 'ENT-2', { EntityType: 'Organisation', Name: 'Weir Ltd' });
    await client('C-1', { EntityId: 'ENT-2', ClientNumber: 'C-900' });
    await client('C-2', { EntityId: books.mill });
    const rate = { Rate: '10', Per: 'Hour', EffectiveFrom: '2025-06-01' };
    await add('ApplicableRate', 'A-1', { Scope: 'Client', ScopeId: books.active, ...rate });
    await add('ApplicableRate', 'A-2', {
      Scope: 'Client',
      ScopeId: books.active,
      ...rate,
      BillingGrade: 'A',
    });
    expect(await found()).toEqual([
      'code_taken Client C-1 ClientNumber',
      'code_taken Client C-2 EntityId',
      'rates_overlap ApplicableRate A-1 EffectiveFrom',
    ]);
  });

  it('are the same role when their names differ only in capital letters and the form of accents', async () => {
    await add('Role', 'R-1', { Name: 'Attach\u00e9' });
    await add('Role', 'R-2', { Name: 'ATTACHE\u0301' });
    await add('Role', 'R-3', { Name: 'client' });
    expect(await found()).toEqual([
      'code_taken Role R-3 Name',
      'duplicate_code Role R-1 Name',
      'duplicate_code Role R-2 Name',
    ]);
  });

  it('are the same role when their names differ only in surrounding blanks, or are equal in lower case', async () => {
    await add('Role', 'R-1', { Name: 'Judge\u00a0' });
    await add('Role', 'R-2', { Name: '\tJudge' });
    await add('Role', 'R-3', { Name: '\u039f\u0394\u039f\u03a3' });
    await add('Role', 'R-4', { Name: '\u03bf\u03b4\u03bf\u03c2' });
    // The name with the other lower-case form of the same capital letter.
    await add('Role', 'R-5', { Name: '\u03bf\u03b4\u03bf\u03c3' });
    await add('Role', 'R-6', { Name: 'Client\u2003' });
    expect(await found()).toEqual([
      'code_taken Role R-6 Name',
      ...['R-1', 'R-2', 'R-3', 'R-4'].map((id) => `duplicate_code Role ${id} Name`),
    ]);
  });

  it('cannot be parts of those records', async () => {
    await add('InvoiceLine', 'L-1', { InvoiceId: `invoice_${'0a'.repeat(16)}`, Kind: 'Text' });
    expect(await found()).toEqual(['part_of_existing InvoiceLine L-1 InvoiceId']);
  });

  it('may keep what the same rows had in an earlier import', async () => {
    await add('Entity', 'ENT-1', { EntityType: 'Organisation', Name: 'Mill Ltd' });
    await client('CLI-1', { EntityId: 'ENT-1', ClientNumber: 'C-1' });
    await work('W-1', { MatterId: books.ofImported, State: 'Billed' });
    await invoice('I-1', { ClientId: 'CLI-1', MatterId: books.ofImported });
    await add('InvoiceLine', 'L-1', { InvoiceId: 'I-1', Kind: 'Fee', WorkItemId: 'W-1' });
    expect(await found()).toEqual([]);
    await client('CLI-2', { EntityId: 'ENT-1' });
    expect(await found()).toEqual([
      'code_taken Client CLI-2 EntityId',
      'duplicate_code Client CLI-1 EntityId',
      'duplicate_code Client CLI-2 EntityId',
    ]);
  });
});
