import { ImportedFirm, invoice, rate, work } from '../testing/imported-firm';

describe('rows that are named by key in one place, and by the id of their record in another', () => {
  let office: ImportedFirm;

  beforeAll(async () => {
    office = await ImportedFirm.open();
  });
  afterEach(() => office?.finish());
  afterAll(() => office?.close());

  it('are recognised as the same', async () => {
    const [entity, client] = [office.idOf('Entity', 'ENT-9'), office.idOf('Client', 'CLI-2')];
    const employee = office.idOf('Employee', 'EMP-1');
    const charge = { RateSetId: 'S-1', Rate: '1', Per: 'Hour' };
    const found = await office.found({
      Supplier: [
        { ImportId: 'S-1', EntityId: 'ENT-9', State: 'Active' },
        { ImportId: 'S-2', EntityId: entity, State: 'Active' },
      ],
      ApplicableRate: [rate('A-1', { ScopeId: 'CLI-2' }), rate('A-2', { ScopeId: client })],
      RateSet: [{ ImportId: 'S-1', Name: 'Rates', Currency: 'GBP', IsDefault: '0' }],
      RateSetEntry: [
        { ImportId: 'E-1', EmployeeId: 'EMP-1', ...charge },
        { ImportId: 'E-2', EmployeeId: employee, ...charge },
      ],
    });
    expect(found).toEqual([
      'duplicate_code Supplier S-1 EntityId',
      'duplicate_code Supplier S-2 EntityId',
      'duplicate_entry RateSetEntry E-1',
      'duplicate_entry RateSetEntry E-2',
      'rates_overlap ApplicableRate A-2 EffectiveFrom',
    ]);
  });

  it('are recognised as the same matter of work and of its invoice', async () => {
    const matter = office.idOf('Matter', 'MAT-1');
    const found = await office.found({
      WorkItem: [work('N-1', { MatterId: matter, State: 'Billed' })],
      Invoice: [invoice('N-1', { ClientId: 'CLI-1', MatterId: 'MAT-1', Total: '240' })],
      InvoiceLine: [{ ImportId: 'N-1', InvoiceId: 'N-1', Kind: 'Fee', WorkItemId: 'N-1' }],
    });
    expect(found).toEqual([]);
  });
});
