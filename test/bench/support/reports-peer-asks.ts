import type { Ask } from './side';

interface Group {
  keys: string[];
  sum: Record<string, string>;
}

/** A page ordered by entry date, newest first. */
export function peerPage(
  columns: readonly string[],
  window: { first: number; offset: number },
  filter?: object,
): Ask {
  return {
    body: {
      operationName: 'Page',
      query: `query Page($filter: WorkItemFilter, $first: Int, $offset: Int) {
        allWorkItems(filter: $filter, first: $first, offset: $offset, orderBy: [ENTRY_DATE_DESC, ID_DESC]) {
          nodes { ${columns.join(' ')} }
        }
      }`,
      variables: { filter, ...window },
    },
    rows: (data) => {
      const { nodes } = data.allWorkItems as { nodes: Record<string, unknown>[] };
      return nodes.map((node) => columns.map((column) => named(node[column])));
    },
  };
}

/** Sums over all rows. */
export function peerTotals(sums: readonly string[], filter?: object): Ask {
  return {
    body: {
      operationName: 'Totals',
      query: `query Totals($filter: WorkItemFilter) {
        allWorkItems(filter: $filter) { aggregates { sum { ${sums.join(' ')} } } }
      }`,
      variables: { filter },
    },
    rows: (data) => {
      const { aggregates } = data.allWorkItems as { aggregates: Group };
      return [sums.map((name) => aggregates.sum[name])];
    },
  };
}

/**
 * Sums by group. The peer neither orders nor limits groups: it sends all of them, and its caller sorts them and cuts
 * them off.
 * @param order by the first sum, greatest first, or by the keys
 */
export function peerGroups(
  groupBy: readonly string[],
  sums: readonly string[],
  { filter, order, limit }: { filter?: object; order: 'sum' | 'keys'; limit?: number },
): Ask {
  const [first] = sums;
  const compare =
    order === 'keys'
      ? compareKeys
      : (a: Group, b: Group) => Number(b.sum[first]) - Number(a.sum[first]) || compareKeys(b, a);
  return {
    body: {
      operationName: 'Groups',
      query: `query Groups($filter: WorkItemFilter) {
        allWorkItems(filter: $filter) {
          groupedAggregates(groupBy: [${groupBy.join(' ')}]) { keys sum { ${sums.join(' ')} } }
        }
      }`,
      variables: { filter },
    },
    rows: (data) => {
      const { groupedAggregates } = data.allWorkItems as { groupedAggregates: Group[] };
      const found = groupedAggregates.sort(compare).slice(0, limit);
      return found.map(({ keys, sum }) => [...keys.map(named), ...sums.map((name) => sum[name])]);
    },
  };
}

/** This service's order of names and numbers: numbers within them count by their value. */
const natural = new Intl.Collator('en', { numeric: true });

/** Ascending. Missing values come first, as in this service's order. */
function compareKeys(a: Group, b: Group): number {
  const index = a.keys.findIndex((key, place) => key !== b.keys[place]);
  return index === -1 ? 0 : natural.compare(String(a.keys[index] ?? ''), String(b.keys[index] ?? ''));
}

/** The peer's table has an empty text for a missing name. */
function named(value: unknown): unknown {
  return value === '' ? null : value;
}
