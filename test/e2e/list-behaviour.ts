import type { ApiClient, Json } from '../support/client';
import { mark } from './records';
import { expectProblem } from './refusals';

/** The parts in which areas differ, for the behaviour that all areas share. */
export interface Area {
  api: ApiClient;
  /** A client in another tenant. */
  stranger: ApiClient;
  /** Another integration of the same tenant. */
  colleague: ApiClient;
  /** The body of a new record that the keyword finds. */
  body(keyword: string): Promise<object>;
}

export interface AreaShape {
  path: string;
  kind: string;
  /**
   * A field that may be cleared, with two values, which are read when a test runs, and the result of clearing it (null
   * if absent).
   */
  optional: { field: string; first: unknown; second: unknown; cleared?: unknown };
  /** Fields that are derived from the optional one. */
  derived?: string[];
  /** Fields that hold money. */
  money?: string[];
  required: string;
  sorts: string[];
  /** Actions on a record. The first one is possible on a new record. */
  actions: string[];
  /** Filters whose value is out of range or of the wrong kind. */
  badFilters: string[];
}

const UNKNOWN = '0'.repeat(32);

/** The behaviour that wire.md promises of every list. */
export function behavesAsList(shape: AreaShape, given: () => Area): void {
  const { path, kind, optional } = shape;

  async function make(keyword = mark()): Promise<Json> {
    const area = given();
    return area.api.data('POST', path, await area.body(keyword));
  }

  it('lists in pages that never overlap, in both directions of every order', async () => {
    const { api } = given();
    const keywords = mark();
    const ids = [];
    for (let count = 0; count < 5; count++) ids.push((await make(keywords)).id);
    for (const sort of [undefined, ...shape.sorts]) {
      const order: Record<string, string> = sort ? { sort } : {};
      const pages = [];
      for (const pageIndex of [0, 1, 2]) {
        const query = new URLSearchParams({ keywords, pageSize: '2', pageIndex: `${pageIndex}`, ...order });
        pages.push(await api.data('GET', `${path}?${query}&includeTotalCount=true`));
      }
      expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
      expect(pages[1]).toMatchObject({ pageIndex: 1, pageSize: 2, totalCount: 5 });
      const seen = pages.flatMap(({ rows }) => rows.map(({ id }: Json) => id));
      expect([...seen].sort()).toEqual([...ids].sort());
      if (sort) {
        const back = await api.rows(path, { keywords, sort: `-${sort}` });
        expect(back.map(({ id }) => id)).toEqual(seen.reverse());
      }
    }
    expect(await api.data('GET', `${path}?keywords=${keywords}&pageIndex=9`)).toMatchObject({ rows: [] });
    expect(await api.data('GET', path)).not.toHaveProperty('totalCount');
  });

  it('finds by ids, by time and after a position', async () => {
    const { api } = given();
    const one = await make();
    const created = await api.post(path, await given().body(mark()));
    const token = created.headers.get('x-event-position');
    const two = created.body.data;
    const three = await make();
    const found = async (query: Record<string, string>) => (await api.rows(path, query)).map(({ id }) => id);
    expect((await found({ ids: `${one.id},${three.id}` })).sort()).toEqual([one.id, three.id].sort());
    expect(await found({ ids: `${kind}_${UNKNOWN}` })).toEqual([]);
    expect(await found({ changedAfter: token! })).toEqual([three.id]);
    await api.data('PATCH', `${path}/${two.id}`, { [optional.field]: optional.second });
    expect(await found({ changedAfter: token! })).toEqual([three.id, two.id]);
    const since = new Date(Date.parse(three.createdOn)).toISOString();
    expect((await found({ updatedSince: since })).sort()).toEqual([two.id, three.id].sort());
    expect(await found({ updatedSince: '2199-01-01' })).toEqual([]);
  });

  it.each([
    'pageIndex=-1',
    'pageIndex=x',
    'pageIndex=1.5',
    'pageSize=0',
    'pageSize=201',
    'pageSize=',
    'sort=no',
    'updatedSince=yesterday',
    'updatedSince=2025-13-01',
    'updatedSince=2025-02-30',
    'ids=',
    'ids=nonsense',
    'includeDeleted=1',
    'includeTotalCount=yes',
    'keywords=a&keywords=b',
    'changedAfter=!',
    'colour=red',
    'ids=role_1',
    'pageIndex=0&pageIndex=1',
    'keywords=%00',
    `ids=role_${UNKNOWN}`,
    ...shape.badFilters,
  ])('answers 400 to ?%s', async (query) => {
    const answer = await given().api.get(`${path}?${query}`);
    expectProblem(answer, 400, query.startsWith('changedAfter') ? 'invalid_position' : 'invalid_query');
  });
}
