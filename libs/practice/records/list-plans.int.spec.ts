import type { ListQuery } from '#platform/http/list-query';
import { ListQuery as BaseQuery } from '#platform/http/list-query';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import { areas, definitions } from '../areas';
import { entities } from '../entities/entity.queries';
import { changedAt, fillLists } from '../testing/full-lists';
import { type ListCase, listCases } from '../testing/list-cases';
import { listFor, plainList } from '../testing/plain-list';
import { countStatement, pageStatement, type Statement } from './list-statements';
import { tableOf } from './state-table';

const ROWS = 6_000;
const OTHERS = 1_200;

/** A node of a plan that was carried out. */
interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Loops': number;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

let store: TestStore;
let context: RequestContext;
let other: RequestContext;
beforeAll(async () => {
  store = await createTestStore(definitions);
  context = await createContext(store);
  other = await createContext(store);
  const client = await store.reads.pool.connect();
  try {
    await fillLists(client, other.tenant.id, OTHERS);
    await fillLists(client, context.tenant.id, ROWS);
  } finally {
    client.release();
  }
});
afterAll(() => store.close());

// The first tenant of a database is number 1.
const cases = listCases(1);

/** Positions by what stands for them in a query. */
const positions = new Map([
  ['start', -1n],
  [changedAt(BigInt(ROWS / 2)), BigInt(ROWS / 2)],
]);

/** What a list can be asked for: its own order, each order, each filter, words, and what changed. */
function queriesOf({ list, filters, keywords }: ListCase): ListQuery[] {
  const order = list.order.replace(/^-/, '');
  const sorts = Object.keys(list.sorts).flatMap((sort) => [{ sort }, { sort: `-${sort}` }]);
  return [
    ...[{}, { includeDeleted: true }, { pageIndex: 4 }, { pageSize: 200 }],
    ...sorts,
    ...filters,
    ...filters.map((filter) => ({ ...filter, sort: `-${order}` })),
    ...keywords.map((words) => ({ keywords: words })),
    ...keywords.map((words) => ({ keywords: words, sort: '-updatedOn', pageIndex: 1, pageSize: 20 })),
    ...filters.map((filter) => ({ ...filter, keywords: keywords[0] })),
    ...[...positions.keys()].map((changedAfter) => ({ changedAfter })),
    ...[{ updatedSince: '2026-02-01' }],
  ];
}

async function ask<Row extends object>({ sql, bindings }: Statement, prefix = ''): Promise<Row[]> {
  return (await store.reads.pool.query<Row>(`${prefix}${sql}`, [...bindings])).rows;
}

function executed(node: Node): Node[] {
  return node['Actual Loops'] === 0 ? [] : [node, ...(node.Plans ?? []).flatMap(executed)];
}

/** What went through far more rows than the page needs. */
function heavy(nodes: Node[]): string[] {
  const tables = new Set(cases.map(({ list }) => `${tableOf(list.projection)}_g1`));
  const whole = (rows: number) => rows > ROWS / 3;
  return nodes
    .filter((node) => {
      const seen = node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
      const isTable = node['Node Type'] === 'Seq Scan' && tables.has(node['Relation Name'] ?? '');
      const scansAll = isTable && seen > ROWS / 10;
      const sortsAll =
        /Sort/.test(node['Node Type']) && whole(Math.max(...node.Plans!.map((one) => one['Actual Rows'])));
      return scansAll || sortsAll || whole(seen);
    })
    .map((node) => `${node['Node Type']} ${node['Relation Name'] ?? ''} ${node['Actual Rows']}`);
}

it('knows every list, and every filter', () => {
  const listed = areas.flatMap(({ read, projections }) => (read.controllers.length > 0 ? projections : []));
  const names = listed
    .map(({ name }) => name)
    .filter((name) => name !== 'tenants' && name !== 'fee-analysis');
  expect(cases.map(({ list }) => list.projection).sort()).toEqual(names.sort());
  const parameters = (query: object): string[] =>
    Reflect.getMetadata('swagger/apiModelPropertiesArray', query).map((name: string) => name.slice(1));
  const common = [...parameters(BaseQuery.prototype), 'ids', 'sort'];
  for (const { query, filters } of cases) {
    const own = parameters(query.prototype).filter((name) => !common.includes(name));
    expect([...new Set(filters.flatMap((filter) => Object.keys(filter)))].sort()).toEqual(own.sort());
  }
});

describe.each(cases)('the list of $path', (one) => {
  it.each(queriesOf(one))('%j', async (query) => {
    const list = await listFor(store.reads, context, one.list, query);
    const { pageIndex = 0, pageSize = 50 } = query;
    const statement = pageStatement(list, context.tenant, query);
    const rows = await ask<{ id: string | null }>(statement);
    const expected = await plainList(store.reads, context, list, {
      ...query,
      changedAfter: query.changedAfter === undefined ? undefined : positions.get(query.changedAfter),
    });
    const from = pageIndex * pageSize;
    expect(rows.flatMap(({ id }) => id ?? [])).toEqual(expected.slice(from, from + pageSize + 1));
    const [{ count }] = await ask<{ count: string }>(countStatement(list, context.tenant.id, query));
    expect(Number(count)).toBe(expected.length);

    const [{ 'QUERY PLAN': plan }] = await ask<{ 'QUERY PLAN': { Plan: Node }[] }>(
      statement,
      'explain (analyze, timing off, format json) ',
    );
    expect(heavy(executed(plan[0].Plan))).toEqual([]);
  });
});

it('takes keywords whose words grow longer than PostgreSQL takes', async () => {
  const statement = pageStatement(entities, context.tenant, { keywords: '\u3300'.repeat(200) });
  expect(await ask<{ id: string | null }>(statement)).toMatchObject([{ id: null }]);
});
