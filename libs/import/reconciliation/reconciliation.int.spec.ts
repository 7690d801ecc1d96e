import type { RegisteredTenant } from '#platform/auth/tenants';
import type { Figure, Firm, Measure } from '../../../test/support/firms/firm';
import { writeFirm } from '../../../test/support/firms/write-firm';
import { type Imports, openImports } from '../testing/import-parts';
import { stageSource } from '../testing/staged-source';
import { checkedRowsOf, validationOf } from '../validation/testing/validation-of';
import { Reconciliation } from './reconciliation';

describe.each([
  ['uk', 1_500],
  ['au', 300],
] as const)('an import in %s of %i items that was loaded', (region, items) => {
  let imports: Imports;
  let firm: Firm;
  let run: Awaited<ReturnType<Imports['run']>>;
  let staging: RegisteredTenant;
  let reconciliation: Reconciliation;

  beforeAll(async () => {
    imports = await openImports(region);
    await imports.dropStandardCodes();
    firm = await writeFirm(imports.client, { items, region });
    run = await imports.run();
    await stageSource(imports.client, run.staging);
    expect(await validationOf(imports).validate(run)).toEqual({ errors: 0, warnings: 0 });
    imports.runner.start();
    staging = await imports.loading().load(run);
    reconciliation = new Reconciliation(checkedRowsOf(imports), imports.store.reads);
  });
  afterAll(() => imports.close());

  const findings = () =>
    imports.sql<{ found: string }>(
      `select concat_ws(' ', code, table_name, import_id, column_name) as found from import.findings
       where request_id = $1 order by 1`,
      [run.requestId],
    );
  const found = async () => (await findings()).map((finding) => finding.found);

  type Side = 'source' | 'control' | 'loaded';

  /** Counts and amounts of one side, by group. */
  async function figures(side: Side, measure: string, groupBy: string): Promise<Record<string, Figure>> {
    const rows = await imports.sql<{ key: string; count: number; amount: string }>(
      `select group_key as key, ${side}_count::int as count, ${side}_amount::numeric(20, 2)::text as amount
       from import.totals where request_id = $1 and measure = $2 and group_by = $3`,
      [run.requestId, measure, groupBy],
    );
    return Object.fromEntries(rows.map(({ key, ...figure }) => [key, figure]));
  }

  it('has the totals of the source on all three sides', async () => {
    expect(await reconciliation.reconcile(run, staging)).toEqual({ errors: 0 });
    expect(await findings()).toEqual([]);
    const measures: Record<string, Measure> = {
      Work: firm.work,
      UnbilledWork: firm.unbilledWork,
      Billed: firm.billed,
      Debtors: firm.debtors,
    };
    for (const side of ['source', 'control', 'loaded'] as const)
      for (const [name, { total, byMatter, byFeeEarner }] of Object.entries(measures)) {
        expect(await figures(side, name, 'Total')).toEqual({ '': total });
        expect(await figures(side, name, 'Matter')).toEqual(byMatter);
        expect(await figures(side, name, 'FeeEarner')).toEqual(byFeeEarner);
      }
    for (const [side, unloaded] of [
      ['source', firm.rows.Info],
      ['loaded', null],
    ] as const) {
      const rows = await figures(side, 'Rows', 'Table');
      const counts = Object.fromEntries(Object.entries(rows).map(([table, { count }]) => [table, count]));
      const controls = side === 'loaded' ? null : firm.rows.ControlTotal;
      expect(counts).toEqual({ ...firm.rows, Info: unloaded, ControlTotal: controls });
    }
  });

  it('has the same totals when the step begins again after a crash of the server has emptied its tables', async () => {
    await imports.client.query(`truncate ${run.staging.schema}.made, ${run.staging.schema}.work_values`);
    expect(await reconciliation.reconcile(run, staging)).toEqual({ errors: 0 });
    expect(await figures('source', 'Work', 'Total')).toEqual({ '': firm.work.total });
  });

  it('has findings about a penny that was lost in loading', async () => {
    const [{ id, matter, employee }] = await imports.sql<{ id: string; matter: string; employee: string }>(
      `select t.id, m.import_id as matter, e.import_id as employee
       from read_model.work_items t
       join ${run.staging.schema}.record_ids m on m.id = t.matter_id
       join ${run.staging.schema}.record_ids e on e.id = t.employee_id
       where t.tenant_id = $1 order by t.id limit 1`,
      [staging.id],
    );
    const change = (by: string) =>
      imports.client.query('update read_model.work_items set total = total + $1 where id = $2', [by, id]);
    await change('-0.01');
    try {
      expect(await reconciliation.reconcile(run, staging)).toEqual({ errors: 3 });
      expect(await found()).toEqual([
        `loaded_total_differs Employee ${employee}`,
        `loaded_total_differs Matter ${matter}`,
        'loaded_total_differs WorkItem',
      ]);
    } finally {
      await change('0.01');
    }
  });

  it('has findings about the control totals that differ, and about no others', async () => {
    const controls = run.staging.table('ControlTotal');
    const of = `from ${controls} where "Measure" = 'Debtors' and "GroupBy" = 'Total'`;
    const [{ key }] = (await imports.client.query(`select "ImportId" as key ${of}`)).rows;
    const change = (by: string) =>
      imports.client.query(
        `update ${controls} set "Amount" = ("Amount"::numeric + $1)::text, "Count" = null where "ImportId" = $2`,
        [by, key],
      );
    await change('0.01');
    await imports.client.query(
      `update ${controls} set "ImportId" = 'CT-X', "Count" = '123456'
       where "Measure" = 'Work' and "GroupBy" = 'Matter' and "GroupKey" = 'MAT-1'`,
    );
    await validationOf(imports).validate(run);
    expect(await reconciliation.reconcile(run, staging)).toEqual({ errors: 2 });
    expect(await found()).toEqual([
      `control_total_differs ControlTotal ${key} Amount`,
      'control_total_differs ControlTotal CT-X Count',
    ]);
  });

  it('ends with the reason of an abort', async () => {
    const abort = new AbortController();
    const reason = new Error('The import was cancelled.');
    abort.abort(reason);
    await expect(reconciliation.reconcile({ ...run, signal: abort.signal }, staging)).rejects.toBe(reason);
    await expect(validationOf(imports).validate({ ...run, signal: abort.signal })).rejects.toBe(reason);
  });
});
