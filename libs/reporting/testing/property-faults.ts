import * as fc from 'fast-check';
import type { NaiveReport } from './naive-columns';
import type { Sent } from './naive-criteria';
import type { Asked } from './naive-report';

type Spoil = (asked: Asked) => Asked;

const inSlice =
  (change: (slice: Sent) => Sent): Spoil =>
  ({ criteria, slice }) => ({ criteria, slice: { ...slice, ...change(slice) } });
const inCriteria =
  (change: Sent): Spoil =>
  ({ criteria, slice }) => ({ criteria: { ...criteria, ...change }, slice });
const also = (list: Sent[] | null | undefined, one: Sent) => [...(list ?? []), one];

const NOBODY = { colId: 'nobody' };
const DEEP = { totalsOnly: null };
const ID = `client_${'0'.repeat(32)}`;

/** Changes that may spoil a request. The evaluator decides which of them are faults. */
export function spoilt({ name, columns }: NaiveReport): fc.Arbitrary<Spoil> {
  const colId = fc.constantFrom(...columns.keys());
  const group = (one: Sent, key: unknown) =>
    inSlice(() => ({ rowGroups: [{ colId: one }], groupKeys: [key], pivots: [], ...DEEP }));
  const work = name === 'work_item_listing';
  const fixed = (min: string | null, max: string | null) =>
    inCriteria(work ? { entryPeriod: { fixedPeriod: { min, max } } } : { period: { min, max } });
  return fc.oneof(
    fc.constantFrom<Spoil>(
      ...['cols', 'rowGroups', 'pivots', 'sortBy'].map((list) =>
        inSlice((slice) => ({ [list]: also(slice[list], NOBODY) })),
      ),
      inSlice(() => ({ filterZero: true, filterZeroField: 'nobody' })),
      inSlice(({ cols, rowGroups }) => ({
        cols: also(cols, { colId: 'currency', aggFunc: 'median' }),
        rowGroups,
      })),
      inSlice(() => ({ startRow: -1, ...DEEP })),
      inSlice(() => ({ startRow: 5, endRow: 4, ...DEEP })),
      inSlice(() => ({ startRow: 7, endRow: 10_008, ...DEEP })),
      inSlice(() => ({ startRow: 7, endRow: 10_007, ...DEEP })),
      inSlice(({ rowGroups }) => ({ groupKeys: Array((rowGroups?.length ?? 0) + 1).fill(null) })),
      inSlice(() => ({ totalsOnly: true, cols: [{ colId: 'currency' }] })),
      inSlice(() => ({ rowGroups: [], groupKeys: [], pivots: [{ colId: 'currency' }] })),
      fixed('2025-02-30', null),
      fixed(null, '2025-2-03'),
      fixed('2025-02-03', '2025-02-02'),
      inCriteria(work ? { entryPeriod: { relativePeriod: 'SOON' } } : { relativePeriod: 'SOON' }),
      ...(work
        ? [
            inCriteria({ states: ['Billed', 'Lost'] }),
            inCriteria({ workItemTypes: ['Fixed'] }),
            inCriteria({ matterIds: [ID] }),
            inCriteria({ employeeIds: ['nobody'] }),
            group('state', 'Lost'),
            group('entryYear', 1.5),
            group('entryYear', '2025'),
            group('entryDay', '2025-13-01'),
            group('entryDate', 'now'),
            group('isBillable', 1),
            group('units', 'many'),
            group('employeeId', ID),
          ]
        : [
            inCriteria({ periodRelativeTo: 'today' }),
            inCriteria({ feeEarnerId: ID }),
            inCriteria({ divisionId: '' }),
            group('day', '2023-02-29'),
            group('year', 'soon'),
            group('feeEarnerId', 7),
          ]),
    ),
    colId.map((one) => inSlice(({ rowGroups }) => ({ rowGroups: also(rowGroups, { colId: one }) }))),
    fc
      .tuple(colId, fc.constantFrom('sum', 'avg', 'min', 'max', 'count', 'countDistinct'))
      .map(([one, aggFunc]) => inSlice(({ cols }) => ({ cols: also(cols, { colId: one, aggFunc }) }))),
    colId.map((one) => inSlice(() => ({ filterZero: true, filterZeroField: one }))),
    colId.map((one) => inSlice(({ pivots }) => ({ pivots: also(pivots, { colId: one }) }))),
  );
}
