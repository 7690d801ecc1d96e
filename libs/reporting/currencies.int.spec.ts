import { ReportStatements } from './report-statements';
import { Firm } from './testing/firm';
import { cols, columns, type ReportName, ReportsApplication } from './testing/reports-application';

let reports: ReportsApplication;
let firm: Firm;
let client: string;
let division: string;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
  firm = await new Firm(reports.pool, 1).open();
  [client, division] = [await firm.client('Client, One'), await firm.division('Litigation')];
});

afterEach(() => jest.restoreAllMocks());
afterAll(() => reports.stop());

it('amounts are told apart by currency from the moment that there is a second one', async () => {
  const day = '2025-01-05';
  const record = async (employee_id: string, currency: string, amount: number, is_deleted = false) => {
    const matter_id = await firm.matter(`${currency} ${amount}`, client, division);
    const entry_date = `${day}T10:00:00Z`;
    await firm.workItem({ employee_id, matter_id, entry_date, currency, total: amount, is_deleted });
    if (!is_deleted) await firm.fact({ employee_id, matter_id, day, currency, billed: amount });
  };
  const sent = jest.spyOn(reports.app.get(ReportStatements), 'rows');
  /** Sums by employee, and the number of statements that they took. */
  const sums = async (
    name: ReportName,
    employee: string,
    measure: string,
    criteria: object | null = null,
  ) => {
    sent.mockClear();
    const slice = {
      rowGroups: columns(employee),
      cols: cols(`${measure}:sum`),
      sortBy: columns(employee),
    };
    const { status, body } = await reports.post(name, slice, criteria);
    const found =
      status === 200
        ? body.data[name].map((row: Record<string, unknown>) => [row[employee], row[measure]])
        : body.errors[0].extensions.reason;
    return [found, sent.mock.calls.length];
  };
  const items = (criteria?: object) => sums('work_item_listing', 'employeeSortName', 'total', criteria);
  const fees = () => sums('fee_analysis', 'feeEarnerSortName', 'workItemBilled');
  const [amy, zoe] = [await firm.employee('Amy'), await firm.employee('Zoe')];

  await record(amy, 'GBP', 100);
  await record(amy, 'GBP', 20);
  for (const answer of [items, fees]) expect(await answer()).toEqual([[['Amy', 120]], 1]);

  await record(amy, 'USD', 7, true);
  expect(await items()).toEqual([[['Amy', 120]], 1]);
  expect(await items({ includeDeleted: true })).toEqual(['MIXED_CURRENCY', 1]);

  await record(zoe, 'USD', 5);
  const both = [
    ['Amy', 120],
    ['Zoe', 5],
  ];
  expect(await items()).toEqual([both, 2]);
  for (const answer of [items, fees]) expect(await answer()).toEqual([both, 1]);

  await record(amy, 'USD', 8);
  for (const answer of [items, fees]) expect(await answer()).toEqual(['MIXED_CURRENCY', 1]);
});
