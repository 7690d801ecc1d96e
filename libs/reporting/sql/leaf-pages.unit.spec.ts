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
const scope = {
  tenantId: 7,
  ...calendar,
  deepFrom: 1_000,
  manyKeys: 100,
  mostBytes: 1_000,
  addsAs: 'bigint' as const,
};

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

  const ofGroup = (colId: string, key: string | null, more: AggregationSliceSpecInput = newest) =>
    page(workItemReport, { rowGroups: [{ colId }], groupKeys: [key], ...more }, {});

  it.each([
    ['employeeSortName', 'w.employee_id'],
    ['clientSortName', 'w.matter_id'],
    ['divisionName', 'w.matter_id'],
  ])(
    'within a group by %s is read record by record if these are few, otherwise in its order',
    (name, column) => {
      const { text, recurs } = ofGroup(name, 'A');
      expect(text).toContain(`${column} = referred.id\n  order by w.entry_date desc, w.id desc limit 51`);
      expect(text).toContain(`(${column} in (select unnest(ids) from keys_of_`);
      expect(text).not.toContain('any(array');
      expect(recurs).toBe(true);
    },
  );

  it('within groups reads the records to which fewer rows refer, unless these are many', () => {
    const rowGroups = [{ colId: 'employeeSortName' }, { colId: 'clientSortName' }, { colId: 'divisionName' }];
    const { text } = page(workItemReport, { rowGroups, groupKeys: ['A', 'B', 'C'], ...newest }, {});
    const [matters, employees] = ['matter', 'employee'].map(
      (record) => `(select cardinality(ids) from keys_of_${record}_id) > 100`,
    );
    const gates = [...text.matchAll(/\) w where (.*)\)$/gm)].map(([, gate]) => gate);
    expect(gates).toEqual([`not ${matters}`, `${matters} and not ${employees}`]);
    expect(text).toContain(`is true and ${matters} and (w.employee_id in`);
  });

  it('that begins later reads up to its end, and is planned with its values', () => {
    const { text, recurs } = ofGroup('employeeSortName', 'A', { ...newest, startRow: 100, endRow: 150 });
    expect(text).toMatch(
      /order by w.entry_date desc, w.id desc limit (\$\d+)::bigint \+ 51\n[\s\S]* limit 51 offset \1::bigint/,
    );
    expect(recurs).toBe(false);
  });

  it.each([
    ['another order', 'employeeSortName', 'A', { sortBy: [{ colId: 'totalBase' }] }],
    ['records without an index', 'taskTypeName', 'A', newest],
  ])('in %s finds all rows of the records', (_, name, key, more) => {
    expect(ofGroup(name, key, more).text).toMatch(/= any\(array\(select/);
  });

  it('within a group without a value joins the rows of the page alone', () => {
    const { text, recurs } = ofGroup('taskTypeName', null);
    expect(text).toMatch(
      /\(w.task_type_id in \(select t.id [\s\S]*? and not \(t.name is null\)\)\) is not true\s+order by/,
    );
    expect(recurs).toBe(false);
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
