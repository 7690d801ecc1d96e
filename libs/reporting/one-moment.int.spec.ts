import { waitFor } from '../../test/support/wait-for';
import { Firm, workedExamples } from './testing/firm';
import { cols, columns, ReportsApplication } from './testing/reports-application';

let reports: ReportsApplication;
let firm: Firm;
let employee_id: string;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
  firm = await new Firm(reports.pool, 1).open();
  employee_id = (await workedExamples(firm)).employees.get('Ash')!;
});

afterAll(() => reports.stop());

/** The answer of a report that waits for a table while work is recorded. */
const whileRecording = async (table: string, slice: object, ...states: number[]) => {
  const client = await reports.pool.connect();
  await client.query(`begin; lock table read_model.${table} in access exclusive mode`);
  const answer = reports.rows('work_item_listing', slice);
  const text = `select from pg_locks where not granted and relation = 'read_model.${table}'::regclass
    and database = (select oid from pg_database where datname = current_database())`;
  await waitFor(async () => (await reports.pool.query(text)).rowCount, { description: 'the report to wait' });
  for (const item_state of states)
    await new Firm(client, 1).workItem({ employee_id, entry_date: '2025-01-09T10:00:00Z', item_state });
  await client.query('commit');
  client.release();
  return answer;
};

const [Pending, Finalised] = [0, 1];

it('the fields of pivots and their values are of one moment', async () => {
  const slice = {
    rowGroups: columns('employeeSortName'),
    pivots: columns('state'),
    cols: cols('id:count'),
    sortBy: columns('employeeSortName'),
  };
  const { rows, report } = await whileRecording('people', slice, Pending, Finalised);
  expect(report.pivotResultFields).toHaveLength(3);
  expect(rows[0]).toEqual({ employeeSortName: 'Ash', Pending_id: 1, Finalised_id: 3, Billed_id: 1 });
});

it('a page past the end and its last row are of one moment', async () => {
  const { report: before } = await reports.rows('work_item_listing', { cols: cols('id') });
  const slice = { cols: cols('id'), startRow: before.lastRow };
  const { rows, report } = await whileRecording('work_item_rollups', slice, Finalised);
  expect(rows).toEqual([]);
  expect(report.lastRow).toBe(before.lastRow);
});

it('a refused pivot leaves its connection as it was', async () => {
  const connections = async () => {
    const text = `select pid, state from pg_stat_activity where datname = current_database() and application_name like '%-read' order by pid`;
    return (await reports.pool.query(text)).rows;
  };
  const slice = { totalsOnly: true, pivots: columns('state'), cols: cols('total:sum') };
  await reports.rows('work_item_listing', slice);
  const before = await connections();
  expect(before).not.toHaveLength(0);
  await firm.workItem({ employee_id, entry_date: '2025-01-10T10:00:00Z', currency: 'EUR' });
  expect(await reports.refusal('work_item_listing', slice)).toMatchObject({ reason: 'MIXED_CURRENCY' });
  expect(await connections()).toEqual(before);
});
