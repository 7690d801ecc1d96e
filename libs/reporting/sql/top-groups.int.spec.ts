import { Firm } from '../testing/firm';
import { cols, columns, type ReportName, ReportsApplication } from '../testing/reports-application';

let reports: ReportsApplication;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
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
  "of %s, %s: a number that a deleted matter had is one group with the present matter's",
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
