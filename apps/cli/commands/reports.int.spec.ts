import { type Firms, openFirms } from '#practice/testing/projected-firms';
import { run } from '../cli';

describe('reports reconcile', () => {
  let firms: Firms;
  let out: string[];
  let err: string[];

  beforeAll(async () => {
    firms = await openFirms(2);
    await firms.settled();
  });
  afterAll(() => firms.close());

  async function reconcile(...args: string[]): Promise<number> {
    [out, err] = [[], []];
    return run(['reports', 'reconcile', ...args], {
      config: () => firms.store.config,
      out: (text) => out.push(text),
      err: (text) => err.push(text),
    });
  }
  const answer = () => JSON.parse(out[0]);
  const tenant = (index: number) => firms.contexts[index].tenant;

  const intact = ['work-items', 'fee-analysis'].map((name) => ({
    name,
    rows: expect.any(Number),
    differing: 0,
    differences: [],
  }));

  it('finds no difference between the tables that reports are read from and their sources', async () => {
    expect(await reconcile('--json')).toBe(0);
    const results = answer();
    expect(results.map(({ name }: { name: string }) => name).sort()).toEqual(['fee-analysis', 'work-items']);
    for (const each of intact) expect(results).toContainEqual(each);
    for (const { rows } of results) expect(rows).toBeGreaterThan(20);
    expect(await reconcile()).toBe(0);
    expect(out.join()).toMatch(/^name +rows +differing\n(work-items|fee-analysis) +\d+ +0\n/);
  });

  it.each([
    ['work_item_facts', 'update read_model.work_item_facts set total = total + 1 where tenant_id = $1'],
    ['work_item_rollups', 'delete from read_model.work_item_rollups where tenant_id = $1 and dimension = 2'],
    [
      'work_item_rollups',
      'update read_model.work_item_rollups set units = units + 1 where tenant_id = $1 and grain = 3',
    ],
    [
      'work_item_rollups',
      'update read_model.work_item_rollups set total = total + 1 where tenant_id = $1 and dimension = 4',
    ],
    [
      'fee_analysis_rollups',
      'update read_model.fee_analysis_rollups set items = items + 1 where tenant_id = $1',
    ],
    [
      'work_item_rollups',
      `insert into read_model.work_item_rollups
       select generation, tenant_id, 0, 2, '1999-01-01', key, item_state, item_type, currency, 1, 0, 0, 0, 0, 0, 0
       from read_model.work_item_rollups where tenant_id = $1 limit 1`,
    ],
  ])('exits with 1 and prints the rows that differ: %s', async (table, statement) => {
    await firms.tampered(table, statement, [tenant(1).id], async () => {
      expect(await reconcile('--json')).toBe(1);
      const found = answer().flatMap((each: { differences: object[] }) => each.differences);
      expect(found.length).toBeGreaterThan(0);
      const own = { tenant: tenant(1).alias, table: expect.stringMatching(`${table}|work_item_rollups`) };
      for (const each of found)
        expect(each).toEqual({ ...own, problem: expect.any(String), row: expect.any(Object) });
      expect(await reconcile('--tenant', tenant(0).alias)).toBe(0);
      expect(await reconcile('--tenant', tenant(1).alias)).toBe(1);
      expect(out.join()).toContain(table);
    });
    expect(await reconcile()).toBe(0);
  });

  it('finds no difference after rebuilds of all tenants and of one', async () => {
    for (const name of ['work-items', 'fee-analysis']) await firms.parts.rebuild.rebuild(name);
    expect(await reconcile('--json')).toBe(0);
    const all = answer();
    for (const each of intact) expect(all).toContainEqual(each);
    for (const name of ['work-items', 'fee-analysis'])
      await firms.parts.rebuild.rebuild(name, { tenant: tenant(1).alias });
    expect(await reconcile('--json')).toBe(0);
    expect(answer()).toEqual(all);
    const { rows } = await firms.store.reads.pool.query(
      'select generation, tenant_id as tenant from read_model.work_item_rollups group by 1, 2 order by 1',
    );
    expect(rows).toEqual([
      { generation: 2, tenant: tenant(0).id },
      { generation: 3, tenant: tenant(1).id },
    ]);
  });

  it('refuses an unknown tenant', async () => {
    expect(await reconcile('--tenant', 'nobody', '--json')).toBe(1);
    expect(JSON.parse(err[0]).error.code).toBe('tenant_not_found');
  });
});
