import { Firm } from './testing/firm';
import { cols, columns, ReportsApplication } from './testing/reports-application';

let reports: ReportsApplication;

beforeAll(async () => {
  reports = await ReportsApplication.start({ two: 2, three: 3 });
  const firm = await new Firm(reports.pool, 2).open();
  const [ann, otherAnn] = [await firm.employee('Same, Name'), await firm.employee('Same, Name')];
  const matter = await firm.matter('M1', await firm.client('C'), await firm.division('D'));
  const item = (entry_date: string, row: object) => firm.workItem({ employee_id: ann, entry_date, ...row });
  await item('2025-03-31T22:30:00.123Z', {
    units: '0.1',
    unit_minutes: 10,
    title: 'b',
    rate: '99.1234567891',
  });
  await item('2025-04-01T00:30:00Z', { units: '0.2', unit_minutes: 10, title: null, matter_id: matter });
  await item('2025-04-02T10:00:00Z', { units: '0.7', unit_minutes: 10, title: 'a', employee_id: otherAnn });
});

afterAll(() => reports.stop());

const two = (slice: object, criteria: object | null = null) =>
  reports.rows('work_item_listing', slice, criteria, 'two');

describe('values', () => {
  it('sums exactly, and divides durations once, at the end', async () => {
    const { rows } = await two({ totalsOnly: true, cols: cols('units:sum', 'unitDuration:sum') });
    expect(rows).toEqual([{ units: 1, unitDuration: 0.1666666667 }]);
  });

  it('shows leaf values by type', async () => {
    const names = ['entryDate', 'entryMonth', 'entryQuarter', 'entryYear', 'entryFinancialYear', 'rate'];
    const { rows } = await two({
      cols: cols(...names, 'isDeleted', 'matterNumber'),
      sortBy: [{ colId: 'entryDate' }],
    });
    expect(rows[0]).toEqual({
      entryDate: '2025-03-31T22:30:00.123+00:00',
      entryMonth: '2025-03',
      entryQuarter: '2025-Q1',
      entryYear: 2025,
      entryFinancialYear: '2024/25',
      rate: 99.1234567891,
      isDeleted: false,
      matterNumber: null,
    });
    expect(rows[1]).toMatchObject({ entryFinancialYear: '2025/26', matterNumber: 'M1' });
  });

  it('aggregates by every function', async () => {
    const of = (aggFunc: string) =>
      two({ totalsOnly: true, cols: cols(`units:${aggFunc}`) }).then(({ rows }) => rows[0].units);
    expect(await Promise.all(['sum', 'avg', 'min', 'max', 'count'].map(of))).toEqual([
      1, 0.3333333333, 0.1, 0.7, 3,
    ]);
    const { rows } = await two({
      totalsOnly: true,
      cols: cols(
        'entryDate:max',
        'entryDay:min',
        'title:count',
        'employeeSortName:countDistinct',
        'entryYear:max',
      ),
    });
    expect(rows).toEqual([
      {
        entryDate: '2025-04-02T10:00:00.000+00:00',
        entryDay: '2025-03-31',
        title: 2,
        employeeSortName: 1,
        entryYear: 2025,
      },
    ]);
  });

  it('gives 0 as sum and count of nothing, and null for every other function', async () => {
    const empty = { entryPeriod: { fixedPeriod: { min: '1999-01-01', max: '1999-01-01' } } };
    const { rows } = await two(
      { totalsOnly: true, cols: cols('units:sum', 'totalBase:avg', 'title:count', 'entryDate:min') },
      empty,
    );
    expect(rows).toEqual([{ units: 0, totalBase: null, title: 0, entryDate: null }]);
  });

  it('keeps a large average exact to 10 places', async () => {
    const large = await new Firm(reports.pool, 3).open();
    const employee_id = await large.employee('E');
    for (const total_base of ['999999999999.9999', '0.0001', '0.0001'])
      await large.workItem({ employee_id, entry_date: '2025-01-01T00:00:00Z', total_base });
    const { rows } = await reports.pool.query(
      `select round(1000000000000.0001 / 3.00000000000000000000, 10) as exact`,
    );
    const answer = await reports.rows(
      'work_item_listing',
      { totalsOnly: true, cols: cols('totalBase:avg') },
      null,
      'three',
    );
    expect(answer.rows[0].totalBase).toBe(Number(rows[0].exact));
  });
});

describe('groups', () => {
  it('makes one row of two people with the same name, without an id', async () => {
    const { rows } = await two({
      rowGroups: columns('employeeSortName'),
      cols: cols('employeeId', 'entryYear', 'title', 'isBillable', 'units:sum'),
    });
    expect(rows).toEqual([
      {
        employeeSortName: 'Same, Name',
        employeeId: null,
        entryYear: 2025,
        title: null,
        isBillable: true,
        units: 1,
      },
    ]);
  });

  it('takes a null key for the rows without a value', async () => {
    const rowGroups = columns('matterNumber');
    expect((await two({ rowGroups })).rows).toEqual([{ matterNumber: null }, { matterNumber: 'M1' }]);
    const inside = await two({
      rowGroups,
      groupKeys: [null],
      cols: cols('units'),
      sortBy: [{ colId: 'units' }],
    });
    expect(inside.rows.map((row: { units: number }) => row.units)).toEqual([0.1, 0.7]);
  });

  it.each([
    ['employeeId', undefined],
    ['entryDate', '2025-03-31T22:30:00.123+00:00'],
    ['entryDay', '2025-03-31'],
    ['entryMonth', '2025-03'],
    ['entryFinancialYear', '2024/25'],
    ['units', 0.1],
    ['unitDuration', 0.0166666667],
    ['itemType', 'Timed Fee'],
    ['isBillable', true],
    ['entryYear', 2025],
  ])('drills down by %s with the key that its row shows', async (name, value) => {
    const rowGroups = columns(name);
    const { rows } = await two({ rowGroups, cols: cols('id:count') });
    if (value !== undefined) expect(rows.map((row: Record<string, unknown>) => row[name])).toContain(value);
    for (const row of rows) {
      const { report } = await two({ rowGroups, groupKeys: [row[name]], cols: cols('units') });
      expect(report.lastRow).toBe(row.id);
    }
  });
});

describe('order and pages', () => {
  it('puts nulls lowest', async () => {
    const titles = async (desc: boolean) =>
      (await two({ cols: cols('title'), sortBy: [{ colId: 'title', desc }] })).rows.map(
        (row: { title: string }) => row.title,
      );
    expect(await titles(false)).toEqual([null, 'a', 'b']);
    expect(await titles(true)).toEqual(['b', 'a', null]);
  });

  it('lists the sort keys that it ignored', async () => {
    const { report } = await two({
      rowGroups: columns('employeeId', 'matterNumber'),
      cols: cols('units:sum', 'title'),
      sortBy: [
        { colId: 'matterNumber' },
        { colId: 'title' },
        { colId: 'units', desc: true },
        { colId: 'employeeId' },
        { colId: 'title' },
      ],
    });
    expect(report.ignoredSort).toEqual(['matterNumber', 'title']);
  });

  it('ignores sort keys by pivot fields that the rows do not have', async () => {
    const slice = {
      ...{ rowGroups: columns('employeeId'), pivots: columns('state'), cols: cols('units:sum') },
      sortBy: ['Billed_units', 'Billed_units (2)', 'Finalised_units'].map((colId) => ({ colId })),
    };
    const { rows, report } = await two(slice);
    expect(rows.map((row: Record<string, unknown>) => row.Finalised_units)).toEqual([0.3, 0.7]);
    expect(report.ignoredSort).toEqual(['Billed_units', 'Billed_units (2)']);
    for (const colId of ['Billed_total', 'units (2)']) {
      const { body } = await reports.post(
        'work_item_listing',
        { ...slice, sortBy: [{ colId }] },
        null,
        'two',
      );
      expect(body.errors[0].extensions).toMatchObject({
        ...{ reason: 'UNKNOWN_COLUMN', path: 'slice.sortBy[0].colId' },
      });
    }
  });

  it('takes a pivot field that the rows do not have as null everywhere', async () => {
    const slice = {
      ...{ rowGroups: columns('employeeId'), pivots: columns('state'), cols: cols('units:sum') },
      ...{ filterZero: true, filterZeroField: 'Billed_units' },
    };
    expect((await two(slice)).rows).toEqual([]);
    expect((await two({ ...slice, totalsOnly: true })).rows).toEqual([{ Finalised_units: null }]);
  });

  it('drops rows whose measures are 0 whatever they count, and none when there is no measure', async () => {
    const zero = { rowGroups: columns('employeeId'), filterZero: true };
    const grouped = async (...names: string[]) => (await two({ ...zero, cols: cols(...names) })).rows;
    expect(await grouped('total:sum', 'units:count', 'title:count', 'entryYear:max')).toEqual([]);
    expect(await grouped('units:sum', 'title:count')).toHaveLength(2);
    expect(await grouped('units:count', 'entryYear:max')).toHaveLength(2);
  });

  it('tells the last row only when the end was reached', async () => {
    const lastRow = async (startRow: number, endRow: number) =>
      (await two({ cols: cols('title'), startRow, endRow })).report.lastRow;
    expect(
      await Promise.all([lastRow(0, 2), lastRow(0, 3), lastRow(2, 9), lastRow(50, 99), lastRow(1, 1)]),
    ).toEqual([-1, 3, 3, 3, -1]);
    expect((await two({ cols: cols('title'), startRow: 1, endRow: 1 })).rows).toEqual([]);
  });

  it('gives pages that never overlap and together are the whole', async () => {
    const page = async (startRow: number) =>
      (await two({ cols: cols('id'), sortBy: [{ colId: 'itemType' }], startRow, endRow: startRow + 1 }))
        .rows[0].id;
    expect(new Set(await Promise.all([page(0), page(1), page(2)])).size).toBe(3);
  });

  it('answers a null slice with rows without columns', async () => {
    const { body } = await reports.post('work_item_listing', null, null, 'two');
    expect(body.data.work_item_listing).toEqual([{}, {}, {}]);
  });
});

describe('pivots', () => {
  it('names the field of a missing pivot value (Blank), and pivots totals', async () => {
    const { rows } = await two({ pivots: columns('title'), totalsOnly: true, cols: cols('units:sum') });
    expect(rows).toEqual([{ '(Blank)_units': 0.2, a_units: 0.7, b_units: 0.1 }]);
  });
});
