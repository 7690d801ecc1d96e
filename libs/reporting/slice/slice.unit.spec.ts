import { feeAnalysisReport } from '../fee-analysis/columns';
import { workItemReport } from '../work-items/columns';
import { readGroupKey } from './group-key';
import { isLeaf, readSlice, rowKeys } from './slice';

const names = (columns: { name: string }[]) => columns.map(({ name }) => name);
const rowGroups = [{ colId: 'employeeSortName' }, { colId: 'matterNumber' }];

describe('a slice', () => {
  it('has defaults for everything', () => {
    expect(readSlice(null, workItemReport)).toEqual({
      cols: [],
      groups: [],
      keys: [],
      pivots: [],
      totals: false,
      groupLeaves: false,
      sort: [],
      start: 0,
      end: 100,
      zero: undefined,
    });
    expect(readSlice({ startRow: 50 }, workItemReport).end).toBe(150);
  });

  it('is at the level that its group keys reach', () => {
    const level = (...groupKeys: string[]) => {
      const slice = readSlice({ rowGroups, groupKeys }, workItemReport);
      return [isLeaf(slice), names(rowKeys(slice))];
    };
    expect(level()).toEqual([false, ['employeeSortName']]);
    expect(level('Ash')).toEqual([false, ['employeeSortName', 'matterNumber']]);
    expect(level('Ash', 'M1')[0]).toBe(true);
  });

  it('has its groups and the columns without aggFunc as row keys at a grouped leaf level', () => {
    const slice = readSlice(
      {
        rowGroups: rowGroups.slice(0, 1),
        groupKeys: ['Ash'],
        cols: [{ colId: 'state' }, { colId: 'units', aggFunc: 'sum' }],
        groupLeafLevel: true,
      },
      workItemReport,
    );
    expect(isLeaf(slice)).toBe(false);
    expect(names(rowKeys(slice))).toEqual(['employeeSortName', 'state']);
  });

  it('needs no range for totals', () => {
    const cols = [{ colId: 'units', aggFunc: 'sum' }];
    expect(readSlice({ totalsOnly: true, cols, endRow: 1_000_000 }, workItemReport)).toMatchObject({
      end: 1,
    });
  });

  it('counts the realisation rate as aggregated without an aggFunc', () => {
    const cols = [{ colId: 'realisationRate' }];
    expect(() => readSlice({ totalsOnly: true, cols }, feeAnalysisReport)).not.toThrow();
  });
});

describe('a group key', () => {
  const key = (name: string, given: string | number | boolean | null) =>
    readGroupKey(workItemReport.columns.get(name)!, given, 'slice.groupKeys[0]').value;

  it('is coerced to the type of its column', () => {
    expect(key('matterNumber', 1001)).toBe('1001');
    expect(key('entryYear', '2025')).toBe('2025');
    expect(key('units', 1.5)).toBe('1.5');
    expect(key('isBillable', 'false')).toBe('false');
    expect(key('entryDate', '2025-06-12T10:00:00.000+00:00')).toBe('2025-06-12T10:00:00.000+00:00');
    expect(key('title', null)).toBeNull();
  });

  it.each<[string, string | number | boolean]>([
    ['entryYear', 1.5],
    ['entryYear', true],
    ['units', 'NaN'],
    ['units', ''],
    ['isBillable', 1],
    ['entryDay', '2025-13-01'],
    ['entryDate', '2025-06-12'],
    ['entryDate', '2025-06-31T10:00:00Z'],
    // An offset that no place has, and that PostgreSQL refuses.
    ['entryDate', '2025-06-12T10:00:00+16:00'],
    ['entryDate', '2025-06-12T10:00:00-23:59'],
    ['matterId', 'matter_00000000000070008000000000000001'],
    ['title', 'a\0b'],
  ])('of %s cannot be %j', (name, given) => {
    expect(() => key(name, given)).toThrow(
      expect.objectContaining({ extensions: expect.objectContaining({ reason: 'GROUP_KEY_TYPE' }) }),
    );
  });
});
