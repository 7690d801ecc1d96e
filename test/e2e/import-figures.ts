import { recordId } from '#import/records/record-id';
import type { ApiClient, Json } from '../support/client';
import type { Figure, Firm } from '../support/firms/firm';
import { columns, feeAnalysis, listingVariables, workItemListing } from './specification-walk';

/** The source's name in Info. */
export const SOURCE_SYSTEM = 'Ledger & Quill';
const { slice } = listingVariables();

/** A report's column by record, as `{<32 hex>: number}`. */
async function grouped(api: ApiClient, query: string, by: string, sum: string): Promise<Json> {
  const variables = {
    criteria: null,
    slice: {
      ...slice,
      endRow: 1_000,
      cols: columns([by, `${sum}:sum`]),
      sortBy: [{ colId: by, desc: false }],
      rowGroups: columns([by]),
    },
  };
  const { body } = await api.graphql(query, variables);
  expect(body.errors).toBeUndefined();
  const [rows] = Object.values<Json[]>(body.data);
  return Object.fromEntries(rows.filter((row) => row[by] !== null).map((row) => [row[by], row[sum]]));
}

/** The table of the source, by the area of its records. */
const tables: Record<string, string> = {
  workitems: 'WorkItem',
  matters: 'Matter',
  invoices: 'Invoice',
  costrecoveries: 'CostRecovery',
  clients: 'Client',
  employees: 'Employee',
  suppliers: 'Supplier',
  applicablerates: 'ApplicableRate',
};

/** The figures that a tenant shows, in lists and in both reports. */
export async function shownFigures(api: ApiClient) {
  const counts = Object.keys(tables).map(async (area) => {
    const { totalCount } = await api.data('GET', `${area}?pageSize=1&includeTotalCount=true`);
    return [area, totalCount];
  });
  const billed = await grouped(api, feeAnalysis, 'feeEarnerId', 'workItemBilled');
  return {
    counts: Object.fromEntries(await Promise.all(counts)),
    byMatter: await grouped(api, workItemListing, 'matterId', 'totalBase'),
    byEmployee: await grouped(api, workItemListing, 'employeeId', 'totalBase'),
    billed: Object.fromEntries(Object.entries(billed).filter(([, sum]) => sum !== 0)),
  };
}

export type ShownFigures = Awaited<ReturnType<typeof shownFigures>>;

/** The same figures from a firm's source. @param tenant UUID of the production tenant's stream */
export function firmFigures(tenant: string, { rows, work, billed }: Firm): ShownFigures {
  const of = (table: string, figures: Readonly<Record<string, Figure>>) =>
    Object.fromEntries(
      Object.entries(figures).map(([key, { amount }]) => [
        recordId(tenant, SOURCE_SYSTEM, table, key).split('_')[1],
        Number(amount),
      ]),
    );
  return {
    counts: Object.fromEntries(Object.entries(tables).map(([area, table]) => [area, rows[table]])),
    byMatter: of('Matter', work.byMatter),
    byEmployee: of('Employee', work.byFeeEarner),
    billed: of('Employee', billed.byFeeEarner),
  };
}

/** The figures of two tenants together. Records that both have are an error. */
export function together(one: ShownFigures, other: ShownFigures): ShownFigures {
  const both = (a: Json, b: Json): Json => {
    expect(Object.keys(a).filter((key) => key in b)).toEqual([]);
    return { ...a, ...b };
  };
  const sum = (area: string) => one.counts[area] + other.counts[area];
  return {
    counts: Object.fromEntries(Object.keys(tables).map((area) => [area, sum(area)])),
    byMatter: both(one.byMatter, other.byMatter),
    byEmployee: both(one.byEmployee, other.byEmployee),
    billed: both(one.billed, other.billed),
  };
}
