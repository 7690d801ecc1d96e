import type { NaiveReport } from './naive-columns';
import type { NaiveAnswer } from './naive-report';
import type { Request } from './property-requests';

/** Records which kinds of requests and answers a run has seen. */
export class PropertyWitness {
  private readonly seen = new Map<string, number>();

  see(request: Request, answer: NaiveAnswer): void {
    for (const tag of 'faults' in answer
      ? answer.faults.map(({ reason }) => reason)
      : tagsOf(request, answer))
      this.seen.set(tag, (this.seen.get(tag) ?? 0) + 1);
  }

  /** The kinds that never occurred, and were therefore not tested. Short runs need not contain all. */
  missing({ name }: NaiveReport, numRuns: number): string[] {
    const wanted = numRuns < MANY ? often : [...often, ...sometimes, ...by[name]];
    return numRuns < FEW ? [] : wanted.filter((tag) => !this.seen.has(tag));
  }
}

const FEW = 200;
const MANY = 2000;

const often = [
  'leaf',
  'group',
  'totals',
  'group, depth 0',
  'group, criteria',
  'group, default criteria',
  'group, pivots',
  'totals, pivots',
  'leaf, sort',
  'group, sort',
  'leaf, more pages',
  'no rows',
  'sum',
  'avg',
  'count',
  'min',
  'max',
  'countDistinct',
];
const sometimes = [
  ...['grouped leaves', 'leaf', 'group', 'totals'].flatMap((level) =>
    ['criteria', 'default criteria', 'depth 0', 'depth 1', 'depth 2', 'zero field', 'zeros', 'null key'].map(
      (what) => `${level}, ${what}`,
    ),
  ),
  'leaf, later page',
  'group, later page',
  'group, more pages',
  'grouped leaves, more pages',
  'group, ignored sort',
  'grouped leaves, ignored sort',
  'MIXED_CURRENCY',
];
const by = {
  work_item_listing: [
    'PIVOT_TOO_WIDE',
    ...[
      'employeeSortName',
      'employeeId',
      'matterNumber',
      'matterId',
      'matterTitle',
      'clientSortName',
      'divisionName',
      'matterTypeName',
      'taskTypeName',
      'taskTypeCode',
      'entryMonth',
      'entryQuarter',
      'entryYear',
      'entryFinancialYear',
      'entryDay',
    ].map((name) => `by ${name}`),
  ],
  fee_analysis: [
    'feeEarnerSortName',
    'feeEarnerId',
    'matterNumber',
    'matterTitle',
    'clientSortName',
    'divisionName',
    'matterTypeName',
    'taskTypeName',
    'month',
    'quarter',
    'year',
    'financialYear',
    'day',
  ].map((name) => `by ${name}`),
};

function tagsOf({ criteria, slice }: Request, answer: Exclude<NaiveAnswer, { faults: unknown }>): string[] {
  if (answer.rows.length === 0) return ['no rows'];
  const groups: { colId: string }[] = slice.rowGroups ?? [];
  const depth = slice.groupKeys?.length ?? 0;
  const deepest = depth === groups.length;
  const group = slice.groupLeafLevel ? 'grouped leaves' : 'leaf';
  const level = slice.totalsOnly ? 'totals' : deepest ? group : 'group';
  const tags = [level, `${level}, depth ${depth}`, `${level}, ${criteria ? '' : 'default '}criteria`];
  const has = (what: string, found: unknown) => void (found && tags.push(`${level}, ${what}`));
  has('pivots', answer.pivotResultFields.length > 0);
  has('sort', slice.sortBy.length > answer.ignoredSort.length);
  has('ignored sort', answer.ignoredSort.length > 0);
  has('zero field', slice.filterZero && slice.filterZeroField);
  has('zeros', slice.filterZero && !slice.filterZeroField);
  has('null key', slice.groupKeys?.includes(null));
  has('later page', slice.startRow > 0);
  has('more pages', answer.lastRow === -1);
  for (const { aggFunc } of slice.cols) if (aggFunc && level !== 'leaf') tags.push(aggFunc);
  if (level === 'group' && groups.length === 1) tags.push(`by ${groups[0].colId}`);
  return tags;
}
