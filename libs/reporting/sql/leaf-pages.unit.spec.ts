import type { Report } from '../columns/report';
import { feeAnalysisReport } from '../fee-analysis/columns';
import { feeAnalysisConditions } from '../fee-analysis/criteria';
import { planRows } from '../plan';
import { readSlice } from '../slice/slice';
import type { AggregationSliceSpecInput } from '../slice/slice.input';
import { withinGroups } from '../within-groups';
import { workItemReport } from '../work-items/columns';
import { workItemConditions } from '../work-items/criteria';
import type { Query } from './building';
import { rowsQuery } from './query';

const calendar = { zone: 'Europe/London', financialYearStart: 4, now: new Date('2025-06-12T10:00:00Z') };
const scope = { tenantId: 7, ...calendar, deepFrom: 1_000, mostBytes: 1_000, addsAs: 'bigint' as const };

function page(report: Report, input: AggregationSliceSpecInput, criteria: object): Query {
  const slice = readSlice({ cols: [{ colId: 'currency' }], endRow: 50, ...input }, report);
  const over =
    report === workItemReport
      ? workItemConditions(criteria, calendar)
      : feeAnalysisConditions(criteria, calendar);
  return rowsQuery(
    planRows(withinGroups({ report, ...over }, slice, 4), slice, []),
    { kind: 'listing' },
    scope,
  );
}

const newest = { sortBy: [{ colId: 'entryDate', desc: true }] };
const thisYear = { entryPeriod: { relativePeriod: 'THIS_YEAR' } };

describe('a page of rows', () => {
  it('is planned with its values where few rows may meet a condition, which another index finds', () => {
    const recurs = (criteria: object) => page(workItemReport, newest, criteria).recurs;
    expect([recurs({}), recurs(thisYear)]).toEqual([true, true]);
    const employeeIds = ['employee_00000000000070008000000000000002'];
    const conditions = [{ states: ['Pending'] }, { employeeIds }, { includeDeleted: true, noMatter: true }];
    expect(conditions.map(recurs)).toEqual([false, false, false]);
  });

  it('within a group of a state or a type compares the numbers that indexes have', () => {
    const rowGroups = [{ colId: 'state' }, { colId: 'itemType' }];
    const inside = { rowGroups, groupKeys: ['WrittenOff', 'Timed Fee'], ...newest };
    const { text } = page(workItemReport, inside, {});
    expect(text).toContain('and w.item_state = 3 and w.item_type = 0');
  });

  it('that is not sorted is not read along the ids from the oldest row when it is of a period', () => {
    const order = (report: Report, criteria: object) =>
      /order by (.*) limit 51/.exec(page(report, {}, criteria).text)?.[1];
    expect(order(workItemReport, {})).toBe('w.id');
    expect(order(workItemReport, thisYear)).toBe('w.id::text collate "C"');
    expect(order(feeAnalysisReport, { relativePeriod: 'TODAY' })).toBe('f.id::text collate "C", f.part');
  });

  it('by day is in the order of the index, which has no nulls first or last', () => {
    const { text } = page(feeAnalysisReport, { sortBy: [{ colId: 'day', desc: true }] }, {});
    expect(text).toContain('order by f.day desc, f.id desc, f.part desc limit 51');
  });
});
