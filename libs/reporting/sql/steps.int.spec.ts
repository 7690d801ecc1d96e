import { v7 } from 'uuid';
import type { Source } from '../sources/source';
import { SourceChoice } from '../sources/source-choice';
import { Firm } from '../testing/firm';
import { cols, type ReportName, ReportsApplication } from '../testing/reports-application';

let reports: ReportsApplication;

/** Units recorded on each matter, on 30 December 2024 and on 3 April 2025. */
const UNITS = { M1: 50, M2: 30, M3: 7, noDivision: 5, unknown: 3, none: 2 };

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
  const firm = await new Firm(reports.pool, 1).open();
  const employee_id = await firm.employee('E');
  const [same, other] = [await firm.division('Same'), await firm.division('Other')];
  const matters: Record<string, string | null> = {
    M1: await firm.matter('M1', await firm.client('Client'), same),
    M2: await firm.matter('M2', await firm.client('Client'), await firm.division('Same')),
    M3: await firm.matter('M3', await firm.client('Another'), other),
    noDivision: await firm.matter('M4', await firm.client('Another'), v7()),
    // The matter's row is written later.
    unknown: v7(),
    none: null,
  };
  for (const [name, units] of Object.entries(UNITS))
    for (const day of ['2024-12-30', '2025-04-03']) {
      const matter_id = matters[name];
      await firm.workItem({ employee_id, matter_id, entry_date: `${day}T10:00:00Z`, units });
      if (matter_id) await firm.fact({ employee_id, matter_id, day, written_off_units: units });
    }
});

afterAll(() => reports.stop());

const entered = (min: string, max: string) => ({ entryPeriod: { fixedPeriod: { min, max } } });
const byMeasure = (measure: string) => ({
  groupLeafLevel: true,
  sortBy: [{ colId: measure, desc: true }],
  endRow: 50,
});

describe.each<Source['kind']>(['rollup', 'facts', 'listing'])('from %s', (kind) => {
  beforeEach(() => {
    reports.app.get(SourceChoice).of = (sources) =>
      sources.find((source) => source.kind === kind) ?? sources[0];
  });

  it.each<[what: string, first: string, second: string, criteria: object | null, rows: unknown[][]]>([
    [
      'two divisions of one name are one group, and work without a division is one too',
      'divisionName',
      'state',
      null,
      [
        ['Same', 'Finalised', 160],
        [null, 'Finalised', 20],
        ['Other', 'Finalised', 14],
      ],
    ],
    [
      'two clients of one name are one group',
      'clientSortName',
      'itemType',
      null,
      [
        ['Client', 'Timed Fee', 160],
        ['Another', 'Timed Fee', 24],
        [null, 'Timed Fee', 10],
      ],
    ],
    [
      'days at the edges of a period count in their months',
      'divisionName',
      'entryMonth',
      entered('2024-12-15', '2025-04-03'),
      [
        ['Same', '2025-04', 80],
        ['Same', '2024-12', 80],
        [null, '2025-04', 10],
        [null, '2024-12', 10],
        ['Other', '2025-04', 7],
        ['Other', '2024-12', 7],
      ],
    ],
    [
      'groups within one year',
      'divisionName',
      'entryYear',
      entered('2025-01-01', '2025-12-31'),
      [
        ['Same', 2025, 80],
        [null, 2025, 10],
        ['Other', 2025, 7],
      ],
    ],
    [
      'groups within one month',
      'divisionName',
      'entryMonth',
      entered('2025-04-01', '2025-04-30'),
      [
        ['Same', '2025-04', 80],
        [null, '2025-04', 10],
        ['Other', '2025-04', 7],
      ],
    ],
    [
      'groups by two things that a matter refers to',
      'clientSortName',
      'divisionName',
      null,
      [
        ['Client', 'Same', 160],
        ['Another', 'Other', 14],
        [null, null, 10],
        ['Another', null, 10],
      ],
    ],
    [
      'groups by a thing that a matter refers to and by the matter',
      'divisionName',
      'matterNumber',
      null,
      [
        ['Same', 'M1', 100],
        ['Same', 'M2', 60],
        ['Other', 'M3', 14],
        [null, 'M4', 10],
        [null, null, 10],
      ],
    ],
  ] as [string, string, string, object | null, unknown[][]][])(
    '%s',
    async (_, first, second, criteria, expected) => {
      const slice = { cols: cols(first, second, 'units:sum'), ...byMeasure('units') };
      const { rows } = await reports.rows('work_item_listing', slice, criteria);
      const found = rows.map((row: Record<string, unknown>) => [row[first], row[second], row.units]);
      expect(found).toHaveLength(expected.length);
      expect(found).toEqual(expect.arrayContaining(expected));
    },
  );

  it.each<[ReportName, measure: string, type: string, rows: unknown[][]]>([
    ['work_item_listing', 'units', 'itemType', [['Timed Fee', 20]]],
    [
      'fee_analysis',
      'workItemWrittenOffUnits',
      'month',
      [
        ['2025-04', 8],
        ['2024-12', 8],
      ],
    ],
  ])('%s without a division includes unknown matters', async (report, measure, inner, expected) => {
    const slice = {
      rowGroups: [{ colId: 'divisionName' }, { colId: inner }],
      groupKeys: [null],
      cols: cols('divisionName', inner, `${measure}:sum`),
      sortBy: [{ colId: measure, desc: true }],
    };
    const { rows } = await reports.rows(report, slice);
    const found = rows.map((row: Record<string, unknown>) => [row[inner], row[measure]]);
    expect(found).toHaveLength(expected.length);
    expect(found).toEqual(expect.arrayContaining(expected));
  });

  it('counts how many clients a division has', async () => {
    const slice = {
      rowGroups: [{ colId: 'divisionName' }],
      cols: cols('divisionName', 'clientId:countDistinct', 'units:max'),
      sortBy: [{ colId: 'divisionName', desc: false }],
    };
    const { rows } = await reports.rows('work_item_listing', slice);
    expect(rows).toEqual([
      { divisionName: null, clientId: 1, units: 5 },
      { divisionName: 'Other', clientId: 1, units: 7 },
      { divisionName: 'Same', clientId: 2, units: 50 },
    ]);
  });
});
