import { ReportStatements } from '../report-statements';
import { Firm } from '../testing/firm';
import { cols, columns, type ReportName, ReportsApplication } from '../testing/reports-application';

let reports: ReportsApplication;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1, two: 2, three: 3 });
  const firm = await new Firm(reports.pool, 1).open();
  const employee_id = await firm.employee('E');
  const [client, division] = [await firm.client('C'), await firm.division('D')];
  const day = '2025-04-01';
  const record = async (matterNumber: string, worth: number, is_deleted = false) => {
    const matter_id = await firm.matter(matterNumber, client, division);
    const entry_date = `${day}T10:00:00Z`;
    await firm.workItem({ employee_id, matter_id, entry_date, units: worth, is_deleted });
    await firm.fact({ employee_id, matter_id, day, written_off_units: worth });
  };
  await record('Large', 100);
  await record('Again', 60, true);
  await record('Again', 59);
});

afterAll(() => reports.stop());

it.each<[ReportName, measure: string, criteria: object | null, first: [string, number]]>([
  ['work_item_listing', 'units', null, ['Large', 100]],
  ['work_item_listing', 'units', { includeDeleted: true }, ['Again', 119]],
  ['fee_analysis', 'workItemWrittenOffUnits', null, ['Again', 119]],
])(
  'top groups of %s by %s: a deleted matter and a present one with its number are one group',
  async (report, measure, criteria, first) => {
    const slice = {
      rowGroups: columns('matterNumber'),
      cols: cols('matterNumber', `${measure}:sum`),
      sortBy: [{ colId: measure, desc: true }],
      endRow: 1,
    };
    const { rows } = await reports.rows(report, slice, criteria);
    expect(rows).toEqual([{ matterNumber: first[0], [measure]: first[1] }]);
  },
);

describe('top groups of pairs with a matter', () => {
  const employees = ['Amy', 'Same', 'Same', 'Zoe'];
  const entered = (min: string) => ({ entryPeriod: { fixedPeriod: { min, max: '2025-12-31' } } });
  /** Units that each employee has recorded on each matter. */
  const work: [employee: number, matter: string, units: number][] = [
    [0, 'P1', 50],
    [1, 'P1', 30],
    [2, 'P1', 30],
    [3, 'P1', 40],
    [0, 'P2', 40],
    [2, 'P2', 45],
  ];

  beforeAll(async () => {
    const firm = await new Firm(reports.pool, 2).open();
    const ids = [];
    for (const name of employees) ids.push(await firm.employee(name));
    const [client, division] = [await firm.client('C'), await firm.division('D')];
    const matters = new Map<string, string>();
    for (const name of ['P1', 'P2']) matters.set(name, await firm.matter(name, client, division));
    for (const [employee, name, units] of work)
      for (const day of ['2024-12-30', '2025-04-01']) {
        const [employee_id, matter_id] = [ids[employee], matters.get(name)!];
        await firm.workItem({ employee_id, matter_id, entry_date: `${day}T10:00:00Z`, units });
        await firm.fact({ employee_id, matter_id, day, written_off_units: units });
      }
  });

  it.each<[ReportName, employee: string, measure: string, criteria: object | null, times: number]>([
    ['work_item_listing', 'employeeSortName', 'units', null, 2],
    ['work_item_listing', 'employeeSortName', 'units', entered('2024-12-30'), 2],
    ['work_item_listing', 'employeeSortName', 'units', entered('2025-01-01'), 1],
    ['work_item_listing', 'employeeSortName', 'units', entered('2025-02-01'), 1],
    ['fee_analysis', 'feeEarnerSortName', 'workItemWrittenOffUnits', null, 2],
  ])(
    '%s by %s, %s, %j: two employees of one name are one',
    async (report, employee, measure, criteria, times) => {
      const all = ['Same P1 60', 'Amy P1 50', 'Same P2 45', 'Zoe P1 40', 'Amy P2 40'];
      for (let endRow = 1; endRow <= all.length + 1; endRow++) {
        const slice = {
          groupLeafLevel: true,
          cols: cols(employee, 'matterNumber', `${measure}:sum`),
          sortBy: [{ colId: measure, desc: true }],
          endRow,
        };
        const { rows } = await reports.rows(report, slice, criteria, 'two');
        const found = rows.map(
          (row: Record<string, unknown>) =>
            `${row[employee]} ${row.matterNumber} ${Number(row[measure]) / times}`,
        );
        expect(found).toEqual(all.slice(0, endRow));
      }
    },
  );

  interface Step {
    'Node Type': string;
    'Actual Loops': number;
    Plans?: Step[];
  }
  const within = (step: Step): Step[] => [step, ...(step.Plans ?? []).flatMap(within)];

  it('shared names are looked up only once, however few rows the planner expects of a rollup', async () => {
    const sent = jest.spyOn(reports.app.get(ReportStatements), 'rows');
    const slice = {
      groupLeafLevel: true,
      cols: cols('employeeSortName', 'matterNumber', 'units:sum'),
      sortBy: [{ colId: 'units', desc: true }],
    };
    const { report } = await reports.rows('work_item_listing', slice, entered('2025-01-01'), 'two', {
      'x-explain': '1',
    });
    expect(report.plan).toBe('rollup employeeMatter: year');
    const [[{ text, values }]] = sent.mock.calls;
    const { rows } = await reports.pool.query<{ 'QUERY PLAN': [{ Plan: Step }] }>(
      `explain (analyze, timing off, format json) ${text}`,
      values,
    );
    const steps = within(rows[0]['QUERY PLAN'][0].Plan);
    const windows = steps.filter((step) => step['Node Type'] === 'WindowAgg');
    expect(windows.map((step) => step['Actual Loops'])).toEqual([1, 1]);
  });
});

describe('top groups by records to which matters refer', () => {
  /** Day, matter, task type and units of work. */
  const work: [day: string, matter: string, taskType: number, units: number][] = [
    ['2024-12-30', 'A1', 0, 5],
    ['2024-12-30', 'B1', 1, 7],
    ['2025-02-03', 'A1', 2, 9],
    ['2025-02-03', 'B1', 2, 20],
    ['2025-06-10', 'C1', 0, 11],
    ['2025-06-10', 'C1', 1, 4],
    ['2025-06-11', '', 1, 2],
  ];
  const clients = new Map([
    ['A1', 'Same'],
    ['B1', 'Same'],
    ['C1', 'Other'],
  ]);
  const divisions = new Map([
    ['A1', 'North'],
    ['B1', 'South'],
    ['C1', 'South'],
  ]);
  // The first two are one group.
  const taskTypes = ['Letters', 'Letters', 'Calls'];

  beforeAll(async () => {
    const firm = await new Firm(reports.pool, 3).open();
    const employee_id = await firm.employee('Amy');
    const [North, South] = [await firm.division('North'), await firm.division('South')];
    const ids = new Map<string, string>();
    for (const [number, client] of clients)
      ids.set(
        number,
        await firm.matter(
          number,
          await firm.client(client),
          divisions.get(number) === 'North' ? North : South,
        ),
      );
    const types: string[] = [];
    for (const [index, name] of taskTypes.entries())
      types.push(await firm.insert('task_types', { name, code: `T${index}`, activity: 1, item_type: 0 }));
    for (const [day, matter, type, units] of work)
      await firm.workItem({
        employee_id,
        matter_id: ids.get(matter) ?? null,
        task_type_id: types[type],
        entry_date: `${day}T10:00:00Z`,
        units,
      });
  });

  const keysOf: Record<string, (item: (typeof work)[number]) => string | null> = {
    clientSortName: ([, matter]) => clients.get(matter) ?? null,
    divisionName: ([, matter]) => divisions.get(matter) ?? null,
    matterNumber: ([, matter]) => matter || null,
    taskTypeName: ([, , type]) => taskTypes[type],
    employeeSortName: () => 'Amy',
    entryDay: ([day]) => day,
  };
  const periods = [
    ['2024-12-30', '2025-12-31'],
    ['2025-02-03', '2025-02-03'],
    ['2025-01-01', '2025-12-31'],
  ];

  it.each([
    ['clientSortName', 'taskTypeName'],
    ['divisionName', 'taskTypeName'],
    ['divisionName', 'entryDay'],
    ['clientSortName', 'entryDay'],
    ['clientSortName', 'employeeSortName'],
    ['matterNumber', 'taskTypeName'],
    ['employeeSortName', 'entryDay'],
    ['clientSortName', 'divisionName', 'entryDay'],
  ])('%s, %s', async (...names) => {
    for (const [min, max] of periods) {
      const groups = new Map<string, number>();
      for (const item of work.filter(([day]) => day >= min && day <= max)) {
        const key = JSON.stringify(names.map((name) => keysOf[name](item)));
        groups.set(key, (groups.get(key) ?? 0) + item[3]);
      }
      const expected = [...groups].sort(([, one], [, other]) => other - one);
      for (let endRow = 1; endRow <= expected.length; endRow++) {
        const slice = {
          groupLeafLevel: true,
          cols: cols(...names, 'units:sum'),
          sortBy: [{ colId: 'units', desc: true }],
          endRow,
        };
        const criteria = { entryPeriod: { fixedPeriod: { min, max } } };
        const { rows } = await reports.rows('work_item_listing', slice, criteria, 'three');
        const found = rows.map((row: Record<string, unknown>) => [
          JSON.stringify(names.map((name) => row[name])),
          row.units,
        ]);
        expect(found).toEqual(expected.slice(0, endRow));
      }
    }
  });

  it.each([
    ['clientId', 'clientSortName'],
    ['divisionId', 'divisionName'],
  ])('%s with its name: records of one name stay apart', async (id, name) => {
    const slice = {
      groupLeafLevel: true,
      cols: cols(id, name, 'taskTypeName', 'units:sum'),
      sortBy: [{ colId: 'units', desc: true }],
      endRow: 2,
    };
    const { rows } = await reports.rows('work_item_listing', slice, null, 'three');
    expect(rows.map((row: Record<string, unknown>) => [row[name], row.taskTypeName, row.units])).toEqual(
      name === 'clientSortName'
        ? [
            ['Same', 'Calls', 20],
            ['Other', 'Letters', 15],
          ]
        : [
            ['South', 'Letters', 22],
            ['South', 'Calls', 20],
          ],
    );
  });
});
