import type { ApiClient, Json } from '../support/client';
import { expectProblem } from './refusals';

/** The two requests of the specification, with exactly the variables that it lists. */
export const workItemListing = `query GetRows($criteria: WorkItemCriteriaInput, $slice: AggregationSliceSpecInput) {
  work_item_listing(criteria: $criteria, slice: $slice)
}`;
export const feeAnalysis = `query GetRows($criteria: FeeAnalysisFactCriteriaInput, $slice: AggregationSliceSpecInput) {
  fee_analysis(criteria: $criteria, slice: $slice)
}`;

const listingColumns = [
  'entryDate',
  'matterNumber',
  'matterId',
  'employeeSortName',
  'employeeId',
  'state',
  'itemType',
  'taskTypeName',
  'title',
  'rate',
  'units:sum',
  'unitDuration:sum',
  'totalBase:sum',
  'durationTicks',
];
const measures = ['Finalised', 'FinalisedUnits', 'Billed', 'BilledUnits', 'WrittenOff', 'WrittenOffUnits'];

export function columns(names: string[]): { colId: string; aggFunc?: string }[] {
  return names.map((name) => {
    const [colId, aggFunc] = name.split(':');
    return aggFunc ? { colId, aggFunc } : { colId };
  });
}

const slice = {
  startRow: 0,
  endRow: 50,
  rowGroups: [] as { colId: string }[],
  groupKeys: [],
  pivots: [],
  totalsOnly: false,
  filterZero: false,
  filterZeroField: null,
  groupLeafLevel: false,
};

export function listingVariables(period = { min: '2025-06-01', max: '2025-06-30' }) {
  return {
    criteria: {
      entryPeriod: { fixedPeriod: period, relativePeriod: null },
      includeDeleted: null,
      noMatter: false,
      workItemTypes: [],
      states: [],
    },
    slice: { ...slice, cols: columns(listingColumns), sortBy: [{ colId: 'entryDate', desc: true }] },
  };
}

function feeAnalysisVariables(feeEarnerId: string) {
  return {
    criteria: {
      period: { min: '2025-06-01', max: '2025-06-30' },
      periodRelativeTo: null,
      relativePeriod: 'TODAY',
      feeEarnerId,
    },
    slice: {
      ...slice,
      cols: columns(['feeEarnerSortName', ...measures.map((name) => `workItem${name}:sum`)]),
      sortBy: [{ colId: 'feeEarnerSortName', desc: false }],
      rowGroups: columns(['feeEarnerSortName']),
    },
  };
}

export interface Walked {
  matterId: string;
  employeeId: string;
  matterNumber: string;
}

/** Carries out the specification's main path, from an entity to a work item, and checks each answer. */
export async function walk(api: ApiClient, Currency: string): Promise<Walked> {
  expect(await api.data('GET', 'tenants')).toMatchObject({ alias: api.tenant, currency: Currency });
  const created = async (area: string, body: object): Promise<Json> => {
    const answer = await api.post(area, body, { Accept: 'application/json' });
    expect(answer).toMatchObject({ status: 201, body: { success: true, data: { id: expect.any(String) } } });
    return answer.body.data;
  };
  const person = { entityType: 'Individual', firstName: 'Ada', lastName: 'Lovelace', currency: Currency };
  const entity = await created('entities', { ...person, email: 'ada@example.com' });
  const client = await created('clients', { entityId: entity.id });
  const [division] = await api.rows('divisions');
  const opening = { clientId: client.id, divisionId: division.id, title: 'Engine' };
  expectProblem(await api.post('matters', opening), 422, 'client_not_active', '/clientId');
  const before = await api.get('matters?pageIndex=0&pageSize=20');
  expect(before).toMatchObject({
    status: 200,
    body: { success: true, data: { rows: expect.any(Array), pageIndex: 0, pageSize: 20, hasMore: false } },
  });
  const activated = await api.post(`clients/${client.id}/activate`);
  expect(activated).toMatchObject({ status: 200, body: { data: { stateName: 'Active' } } });
  const matter = await created('matters', opening);
  const earner = await created('entities', { ...person, firstName: 'Bob', lastName: 'Fee' });
  const employee = await created('employees', { entityId: earner.id });
  const item = await created('workitems', {
    matterId: matter.id,
    employeeId: employee.id,
    itemType: 0,
    entryDate: '2025-06-12T10:00:00Z',
    durationTicks: 36000000000,
    units: 10,
    rate: { Amount: 250, Currency },
    title: 'Drafting',
  });
  expect(item).toMatchObject({ total: { Amount: 250, Currency }, stateName: 'Finalised', unitDuration: 1 });
  const { rows } = await api.data('GET', 'matters?pageIndex=0&pageSize=20');
  const earlier = before.body.data.rows.map(({ id }: Json) => id);
  // Without the demo firm's matters, if there is one.
  expect(rows.filter(({ id }: Json) => !earlier.includes(id))).toMatchObject([
    { id: matter.id, clientSortName: 'Lovelace, Ada', divisionName: 'General' },
  ]);
  return { matterId: matter.id, employeeId: employee.id, matterNumber: matter.matterNumber };
}

/** Both reports show what the walk has recorded. */
export async function expectReports(api: ApiClient, { matterId, employeeId, matterNumber }: Walked) {
  const hex = (id: string) => id.split('_')[1];
  expect(await api.graphql(workItemListing, listingVariables())).toMatchObject({
    status: 200,
    body: {
      data: {
        work_item_listing: [
          {
            entryDate: '2025-06-12T10:00:00.000+00:00',
            matterNumber,
            matterId: hex(matterId),
            employeeSortName: 'Fee, Bob',
            employeeId: hex(employeeId),
            state: 'Finalised',
            itemType: 'Timed Fee',
            taskTypeName: null,
            title: 'Drafting',
            rate: 250,
            units: 10,
            unitDuration: 1,
            totalBase: 250,
            durationTicks: 36000000000,
          },
        ],
      },
    },
  });
  const analysis = await api.graphql(feeAnalysis, feeAnalysisVariables(employeeId));
  expect(analysis.body.data).toEqual({
    fee_analysis: [
      {
        feeEarnerSortName: 'Fee, Bob',
        workItemFinalised: 250,
        workItemFinalisedUnits: 10,
        workItemBilled: 0,
        workItemBilledUnits: 0,
        workItemWrittenOff: 0,
        workItemWrittenOffUnits: 0,
      },
    ],
  });
}
