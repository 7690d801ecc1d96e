import { ImportedFirm } from '../testing/imported-firm';

describe('the source system of an import that follows one from Ledger', () => {
  let office: ImportedFirm;

  beforeAll(async () => {
    office = await ImportedFirm.open();
  });
  afterEach(() => office?.finish());
  afterAll(() => office?.close());

  const of = (SourceSystem: string) => ({
    Info: [
      {
        ImportId: 'INFO',
        SchemaVersion: '1.0',
        SourceSystem,
        CutoverDate: '2026-03-31',
        ExtractedAtUtc: '2026-04-01T06:30:00',
        BaseCurrency: 'GBP',
        TimeZone: 'Europe/London',
      },
    ],
  });

  it.each(['LEDGER', 'Ledger ', ' Led ger', 'Ledger\u00a0'])('is refused as misspelt: %j', async (name) => {
    expect(await office.found(of(name))).toContain('wrong_setting Info INFO SourceSystem');
  });

  it.each(['Ledger', 'Ledger 2'])('is accepted as the same or another: %j', async (name) => {
    expect(await office.found(of(name))).not.toContain('wrong_setting Info INFO SourceSystem');
  });

  it('is refused as misspelt also when another system has been promoted since', async () => {
    await office.promote({
      ...of('Billing'),
      Entity: [{ ImportId: 'E', EntityType: 'Organisation', Name: 'Mill' }],
    });
    for (const name of ['LEDGER', 'billing'])
      expect(await office.found(of(name))).toContain('wrong_setting Info INFO SourceSystem');
    for (const name of ['Ledger', 'Billing'])
      expect(await office.found(of(name))).not.toContain('wrong_setting Info INFO SourceSystem');
  });
});
