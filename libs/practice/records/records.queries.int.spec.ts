import type { RequestContext } from '#platform/request-context';
import { createContext } from '../../../test/support/store';
import { divisions } from '../divisions/division.queries';
import {
  CreateEntity,
  CreateEntityHandler,
  DeleteEntity,
  DeleteEntityHandler,
  UpdateEntity,
  UpdateEntityHandler,
} from '../entities/entity.commands';
import { entities } from '../entities/entity.queries';
import { type Firms, openFirms } from '../testing/projected-firms';
import { GetRecord, GetRecordHandler, ListRecords, ListRecordsHandler } from './records.queries';

interface Row {
  id: string;
  version: number;
  isDeleted: boolean;
  lastName: string | null;
}

describe('reading one record', () => {
  let firms: Firms;
  let context: RequestContext;
  beforeAll(async () => {
    firms = await openFirms(1);
    [context] = firms.contexts;
  });
  afterAll(() => firms.close());

  const get = (id: string) =>
    new GetRecordHandler(firms.store.reads, firms.store.loader).execute(
      new GetRecord(context, divisions, id as GetRecord['id']),
    );

  it('waits a second for its newest version, and then answers with the older one', async () => {
    const id = await firms.createDivision(context, 'One');
    await firms.settled();
    await firms.parts.runner.stop();
    await firms.rename(context, id, 'Two');
    const began = Date.now();
    expect(await get(id)).toMatchObject({ headers: { ETag: '"1"' }, body: { data: { name: 'One' } } });
    expect(Date.now() - began).toBeGreaterThanOrEqual(1000);

    firms.parts.runner.start();
    await firms.settled();
    expect(await get(id)).toMatchObject({ headers: { ETag: '"2"' }, body: { data: { name: 'Two' } } });
  });

  it('answers not_found only for an unknown record, not for one that the read models do not show yet', async () => {
    await firms.parts.runner.stop();
    const id = await firms.createDivision(context, 'Unseen');
    await expect(get(id)).rejects.toMatchObject({
      fault: 'unavailable',
      code: 'position_not_reached',
      headers: { 'Retry-After': '1' },
    });
    await expect(get(`division_${'0'.repeat(32)}`)).rejects.toMatchObject({ code: 'not_found' });
    firms.parts.runner.start();
    await firms.settled();
    expect(await get(id)).toMatchObject({ body: { data: { name: 'Unseen' } } });
  });
});

describe('lists of one firm that take long', () => {
  let firms: Firms;
  beforeAll(async () => {
    firms = await openFirms(2);
  });
  afterAll(() => firms.close());

  it('leave connections for another firm', async () => {
    const [one, two] = firms.contexts;
    const { reads } = firms.store;
    const list = (context: RequestContext, of: ListRecords['list']) =>
      new ListRecordsHandler(reads).execute(new ListRecords(context, of, {} as ListRecords['query']));
    const client = await firms.store.writes.pool.connect();
    await client.query('begin; lock table read_model.divisions in access exclusive mode');
    const slow = Array.from({ length: reads.pool.options.max + 1 }, () => list(one, divisions));
    const other = await list(two, entities).catch((error: Error) => error);
    await client.query('commit');
    client.release();
    expect(other).toMatchObject({ status: 200 });
    for (const reply of await Promise.all(slow)) expect(reply).toMatchObject({ status: 200 });
  });
});

describe('a page of very long records', () => {
  let firms: Firms;
  beforeAll(async () => {
    firms = await openFirms(1);
  });
  afterAll(() => firms.close());

  it('is refused before all are in memory, without closing the connection, and a shorter page is answered', async () => {
    const [context] = firms.contexts;
    const ids = await Promise.all(['One', 'Two', 'Three'].map((name) => firms.createDivision(context, name)));
    await firms.settled();
    await firms.store.reads.pool.query(
      `update read_model.divisions set state = jsonb_set(state::jsonb, '{name}', to_jsonb(repeat('x', 12000000)))::json
       where name = any($1)`,
      [['One', 'Two', 'Three']],
    );
    const list = (query: object) =>
      new ListRecordsHandler(firms.store.reads).execute(
        new ListRecords(context, divisions, { ids, ...query } as ListRecords['query']),
      );
    const { pool, plannedOnce } = firms.store.reads;
    const broken: Error[] = [];
    for (const one of [pool, plannedOnce]) one.on('release', (error) => error && broken.push(error));
    for (const query of [{}, { pageSize: 3 }, { includeTotalCount: true }])
      await expect(list(query)).rejects.toMatchObject({ fault: 'malformed', code: 'page_too_large' });
    expect(broken).toEqual([]);
    expect(await list({ pageSize: 1 })).toMatchObject({ body: { data: { rows: [{}], hasMore: true } } });
  });
});

describe('reading what changed', () => {
  let firms: Firms;
  let context: RequestContext;
  beforeAll(async () => {
    firms = await openFirms(2);
    [context] = firms.contexts;
  });
  afterAll(() => firms.close());

  const create = async (lastName: string) => {
    const body = { entityType: 'Individual' as const, lastName };
    return (await new CreateEntityHandler(firms.store.store).execute(new CreateEntity(context, body))).record
      .id;
  };
  const rename = (id: string, lastName: string) =>
    new UpdateEntityHandler(firms.store.store).execute(new UpdateEntity(context, id, { lastName }));
  const remove = (id: string) =>
    new DeleteEntityHandler(firms.store.store).execute(new DeleteEntity(context, id));
  const list = async (query: object) => {
    const reply = await new ListRecordsHandler(firms.store.reads).execute(
      new ListRecords(context, entities, query),
    );
    const { data } = reply.body as { data: { rows: Row[]; hasMore: boolean } };
    return { ...data, position: reply.headers['X-Event-Position'] };
  };

  /** Follows the list from the start, as a client does, until it is told to stop and there is nothing new. */
  async function follow(
    copy: Map<string, Row>,
    pageSize: number,
    stopping: () => Promise<boolean>,
  ): Promise<number> {
    let pages = 0;
    for (let changedAfter = 'start', last = false; ; pages++) {
      const { rows, hasMore, position } = await list({ changedAfter, pageSize });
      for (const row of rows) copy.set(row.id, row);
      changedAfter = position;
      if (hasMore || rows.length > 0) continue;
      if (last) return pages;
      last = await stopping();
    }
  }

  async function write(writer: number): Promise<void> {
    const own: string[] = [];
    for (let step = 0; step < 60; step++) {
      const id = own[(step * 7) % Math.max(1, own.length)];
      if (step % 3 === 0) own.push(await create(`W${writer}`));
      else if (step % 3 === 1) await rename(id, `W${writer} step ${step}`);
      else if (step % 2 === 0) await remove(own.splice(own.indexOf(id), 1)[0]);
    }
  }

  it('misses nothing while others write and the read model is rebuilt, for all tenants and for one', async () => {
    let done = false;
    const writing = Promise.all([1, 2, 3, 4].map(write));
    const rebuilding = (async () => {
      await firms.parts.rebuild.rebuild('people');
      await firms.parts.rebuild.rebuild('people', { tenant: context.tenant.alias });
      await firms.parts.rebuild.rebuild('people');
    })();
    const finished = Promise.all([writing, rebuilding]).then(async () => {
      await firms.settled();
      done = true;
    });
    const copies = [new Map<string, Row>(), new Map<string, Row>()];
    const pages = await Promise.all(
      copies.map((copy, index) => follow(copy, index ? 7 : 200, async () => done)),
    );
    await finished;
    const final: Row[] = [];
    for (let pageIndex = 0, more = true; more; pageIndex++) {
      const { rows, hasMore } = await list({ includeDeleted: true, pageSize: 200, pageIndex });
      final.push(...rows);
      more = hasMore;
    }
    const sorted = (rows: Iterable<Row>) => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const copy of copies) expect(sorted(copy.values())).toEqual(sorted(final));
    expect(final.filter(({ isDeleted }) => isDeleted).length).toBeGreaterThan(30);
    expect(pages[1]).toBeGreaterThan(final.length / 7);
  });

  it('can go on from the position that the first page of a list gives', async () => {
    const { position } = await list({ pageSize: 1 });
    expect(await list({ changedAfter: position })).toMatchObject({ rows: [], position });
    expect((await list({ pageSize: 1, pageIndex: 1 })).position).toBeUndefined();
    const id = await create('Fresh');
    await firms.settled();
    const { rows, position: next } = await list({ changedAfter: position });
    expect(rows.map((row) => row.id)).toEqual([id]);
    expect(await list({ changedAfter: next })).toMatchObject({ rows: [], position: next });
    expect((await list({ keywords: 'nobody is called so' })).position).toBe(next);
  });

  it('uses a transaction only for a page that takes several statements', async () => {
    const snapshot = jest.spyOn(firms.store.reads, 'snapshot');
    await list({});
    await list({ keywords: 'nobody' });
    expect(snapshot).not.toHaveBeenCalled();
    await list({ includeTotalCount: true });
    expect(snapshot).toHaveBeenCalledTimes(1);
    snapshot.mockRestore();
  });

  it('gives even a tenant without records a position to go on from', async () => {
    const nobody = await createContext(firms.store);
    const empty = await new ListRecordsHandler(firms.store.reads).execute(
      new ListRecords(nobody, entities, { changedAfter: 'start' }),
    );
    expect(empty).toMatchObject({ status: 200, body: { data: { rows: [], hasMore: false } } });
    expect(empty.headers['X-Event-Position']).toMatch(/^[\w-]+$/);
  });
});
