import type { Ask } from './side';

type Row = Record<string, unknown>;

const types = { work_item_listing: 'WorkItemCriteriaInput', fee_analysis: 'FeeAnalysisFactCriteriaInput' };
type ReportName = keyof typeof types;

/** A slice, and how its rows are read: by default as the values of its columns, in their order. */
interface Asked {
  cols: readonly string[];
  rest?: object;
  criteria?: object;
  rows?(rows: Row[]): unknown[][];
}

/**
 * A request as the specification's clients send it.
 * @param cols each a colId, or `colId:sum` for a sum
 */
export function ownAsk(report: ReportName, { cols, rest, criteria = {}, rows }: Asked): Ask {
  const named = cols.map((name) => {
    const [colId, aggFunc] = name.split(':');
    return aggFunc ? { colId, aggFunc } : { colId };
  });
  const all = { rowGroups: [], groupKeys: [], pivots: [], sortBy: [], startRow: 0, endRow: 50 };
  return {
    body: {
      operationName: 'GetRows',
      query: `query GetRows($criteria: ${types[report]}, $slice: AggregationSliceSpecInput) { ${report}(criteria: $criteria, slice: $slice) }`,
      variables: { criteria, slice: { ...all, cols: named, ...rest } },
    },
    rows: (data) => {
      const found = data[report] as Row[];
      return rows ? rows(found) : found.map((row) => named.map(({ colId }) => row[colId]));
    },
  };
}

/** Criteria: work items with an entry date within the days, both included. */
export function entered(fixedPeriod: object): object {
  return { entryPeriod: { fixedPeriod, relativePeriod: null } };
}

/** Turns `[{…, Billed_totalBase: 1, Pending_totalBase: 2}]` into rows of key, pivot value and number. */
export function unpivoted(key: string, colId: string): (rows: Row[]) => unknown[][] {
  const ending = `_${colId}`;
  return (rows) =>
    rows.flatMap((row) =>
      Object.keys(row)
        .filter((field) => field.endsWith(ending) && row[field] !== null)
        .sort()
        .map((field) => [row[key], field.slice(0, -ending.length), row[field]]),
    );
}
