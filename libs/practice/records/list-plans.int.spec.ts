import type { PoolClient, QueryConfig } from 'pg';
import type { ListQuery } from '#platform/http/input/list-query';
import { ListQuery as BaseQuery } from '#platform/http/input/list-query';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import { areas, definitions } from '../areas';
import { entities } from '../entities/entity.queries';
import { changedAt, fillLists } from '../testing/full-lists';
import { type ListCase, listCases } from '../testing/list-cases';
import { listFor, plainList } from '../testing/plain-list';
import type { Ask } from './list-statements';
import { readPage } from './read-page';
import type { AnyList, RecordRow } from './record-list';
import { oneStatement } from './record-statements';
import { tableOf } from './state-table';
import { UsualWords } from './usual-words';

const ROWS = 8_000;
const OTHERS = 1_200;
/** Firms of a few records: what is planned once must not be planned for the average one. */
const SMALL = { firms: 200, rows: 4 };

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
/** One connection, as statements that are planned once are planned once for each connection. */
let client: PoolClient;
let context: RequestContext;
let other: RequestContext;
beforeAll(async () => {
  store = await createTestStore(definitions);
  context = await createContext(store);
  other = await createContext(store);
  client = await store.reads.pool.connect();
  const small = Array.from({ length: SMALL.firms }, (_, firm) => 1_000 + firm);
  await fillLists(client, small, SMALL.rows);
  await fillLists(client, [other.tenant.id], OTHERS);
  await fillLists(client, [context.tenant.id], ROWS);
});
afterAll(async () => {
  client.release();
  await store.close();
});

// The first tenant of a database is number 1.
const cases = listCases(1);

/** Positions by the texts that stand for them in a query. */
const positions = new Map([
  ['start', -1n],
  [changedAt(BigInt(ROWS / 2)), BigInt(ROWS / 2)],
]);

/** What a list can be asked for: its own order, each order, each filter, words, and what changed. */
function queriesOf({ list, filters, keywords }: ListCase): ListQuery[] {
  const order = list.order.replace(/^-/, '');
  const sorts = Object.keys(list.sorts).flatMap((sort) => [{ sort }, { sort: `-${sort}` }]);
  return [
    {},
    { includeDeleted: true },
    { pageIndex: 4 },
    { pageSize: 200 },
    ...sorts,
    ...filters,
    ...filters.map((filter) => ({ ...filter, sort: `-${order}` })),
    ...keywords.map((words) => ({ keywords: words })),
    ...keywords.map((words) => ({ keywords: words, sort: '-updatedOn', pageIndex: 1, pageSize: 20 })),
    ...filters.map((filter) => ({ ...filter, keywords: keywords[0] })),
    ...[...positions.keys()].map((changedAfter) => ({ changedAfter })),
    { updatedSince: '2026-02-01' },
  ];
}

/** Runs statements, and records them. */
function asking(statements: QueryConfig[]): Ask {
  return async (statement) => {
    statements.push(statement);
    return (await client.query(statement)).rows;
  };
}

/** A page, by a process that remembers nothing of words. */
function pageOf(list: AnyList, query: ListQuery, statements: QueryConfig[] = []) {
  return readPage(asking(statements), list, context.tenant, query, new UsualWords());
}

/** The plan of a statement: if it has a name, the plan that serves all tenants, else one of its own. */
async function planOf({ name, text, values = [] }: QueryConfig): Promise<Node> {
  const explain = 'explain (analyze, timing off, format json)';
  if (name === undefined) return planned(await client.query(`${explain} ${text}`, values));
  // What the driver prepared under the name has this very text.
  const given = values.map((value) => client.escapeLiteral(`${value}`));
  await client.query('set plan_cache_mode = force_generic_plan');
  try {
    return planned(await client.query(`${explain} execute "${name}" (${given})`));
  } finally {
    await client.query('reset plan_cache_mode');
  }
}

function planned({ rows }: { rows: { 'QUERY PLAN': [{ Plan: Node }] }[] }): Node {
  return rows[0]['QUERY PLAN'][0].Plan;
}

function executed(node: Node): Node[] {
  return node['Actual Loops'] === 0 ? [] : [node, ...(node.Plans ?? []).flatMap(executed)];
}

/** The nodes of a plan that went through far more rows than the page needs. */
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

it('the cases cover every list and every filter', () => {
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
  it.each(queriesOf(one))('answers %j like a plain list, and reads few rows', async (query) => {
    const list = await listFor(store.reads, context, one.list, query);
    const { pageIndex = 0, pageSize = 50 } = query;
    const statements: QueryConfig[] = [];
    const asked = { ...query, includeTotalCount: true };
    const { rows, hasMore, totalCount } = await pageOf(list, asked, statements);
    const expected = await plainList(store.reads, context, list, {
      ...query,
      changedAfter: query.changedAfter === undefined ? undefined : positions.get(query.changedAfter),
    });
    const from = pageIndex * pageSize;
    expect(rows.map(({ id }) => id)).toEqual(expected.slice(from, from + pageSize));
    expect({ hasMore, totalCount }).toEqual({
      hasMore: expected.length > from + pageSize,
      totalCount: expected.length,
    });
    for (const statement of statements) {
      if (/^select count/.test(statement.text)) continue;
      expect(heavy(executed(await planOf(statement)))).toEqual([]);
    }
  });

  it('shows a record exactly as reading that record alone does', async () => {
    const { rows } = await pageOf(one.list, { pageSize: 20 });
    for (const row of rows) {
      const statement = oneStatement(one.list, context.tenant.id, row.id);
      const [single] = await asking([])<RecordRow>(statement);
      expect(one.list.view(row)).toEqual(one.list.view(single));
      expect(heavy(executed(await planOf(statement)))).toEqual([]);
    }
  });
});

it('a list asks for the reached position once, not for each row', async () => {
  await client.query('begin');
  await client.query(`set local track_functions = 'all'`);
  const { rows } = await pageOf(entities, {});
  const { rows: called } = await client.query(
    `select sum(calls)::int as calls from pg_stat_xact_user_functions where funcname = 'reached'`,
  );
  await client.query('rollback');
  expect([rows.length, called[0].calls]).toEqual([50, 1]);
});

it('a list accepts keywords that expand to longer words than PostgreSQL accepts', async () => {
  const query = { keywords: '\u3300'.repeat(200) };
  expect(await pageOf(entities, query)).toMatchObject({ rows: [] });
});
