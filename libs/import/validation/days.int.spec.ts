import { type Imports, openImports } from '../testing/import-parts';
import { stageRows } from '../testing/staged-rows';
import { matter, work } from './testing/imported-firm';
import { validationOf } from './testing/validation-of';

describe('findings about days', () => {
  let imports: Imports;

  beforeAll(async () => {
    imports = await openImports('uk');
  });
  afterAll(() => imports.close());

  it('name what the row does not show: the day in the zone of the firm, and the time at which a matter was opened', async () => {
    const run = await imports.run();
    await stageRows(imports, run, {
      Info: [
        {
          ImportId: 'I',
          SchemaVersion: '1.0',
          SourceSystem: 'Ledger',
          BaseCurrency: 'GBP',
          ExtractedAtUtc: '2026-10-01T05:00:00',
          CutoverDate: '2026-09-30',
          TimeZone: 'Europe/London',
        },
      ],
      Division: [{ ImportId: 'D-1', Name: 'Property' }],
      Entity: ['P', 'O'].map((ImportId) => ({ ImportId, EntityType: 'Organisation', Name: ImportId })),
      Employee: [{ ImportId: 'EMP-1', EntityId: 'P', IsFeeEarner: '1', State: 'Active' }],
      Client: [{ ImportId: 'C', EntityId: 'O', State: 'Active' }],
      Matter: [
        matter('M', {
          ClientId: 'C',
          DateOpened: '2026-01-05T09:00:00.0000000',
          State: 'Closed',
          DateClosed: '2026-01-05T00:00:00.0000000',
        }),
      ],
      WorkItem: [
        work('LATE', { EntryDate: '2026-09-30T23:00:00.0000000' }),
        work('LAST', { EntryDate: '2026-09-30T22:59:59.9999999' }),
        work('WRITTEN-OFF', { State: 'WrittenOff', WriteOffDate: '2026-10-01' }),
      ],
    });
    await validationOf(imports).validate(run);
    const found = await imports.sql<{ import_id: string; message: string }>(
      'select import_id, message from import.findings where request_id = $1 order by import_id',
      [run.requestId],
    );
    expect(found.map(({ import_id, message }) => `${import_id}: ${message}`)).toEqual([
      'LATE: EntryDate is on 2026-10-01 in Europe/London, after the CutoverDate, 2026-09-30; leave the row out or set a later CutoverDate.',
      'M: DateClosed is before the beginning, 2026-01-05 09:00:00; correct one of them.',
      'WRITTEN-OFF: WriteOffDate is on 2026-10-01, after the CutoverDate, 2026-09-30; leave the row out or set a later CutoverDate.',
    ]);
  });
});
