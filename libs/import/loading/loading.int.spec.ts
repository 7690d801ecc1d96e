import type { RegisteredTenant } from '#platform/auth/tenants';
import { allProjections } from '#practice/testing/projected-firms';
import type { Figure, Firm } from '../../../test/support/firms/firm';
import { sourceTable } from '../../../test/support/firms/firm-tables';
import { writeFirm } from '../../../test/support/firms/write-firm';
import { recordId } from '../records/record-id';
import { type Imports, openImports } from '../testing/import-parts';
import { stageSource } from '../testing/staged-source';

describe.each([
  ['uk', 2_000],
  ['au', 400],
] as const)('a firm in %s of %i items, loaded', (region, items) => {
  let imports: Imports;
  let firm: Firm;
  let staging: RegisteredTenant;
  let run: Awaited<ReturnType<Imports['run']>>;

  beforeAll(async () => {
    imports = await openImports(region);
    firm = await writeFirm(imports.client, { items, region });
    // The firm's own tax code is the only one for its costs and for lines that name none: the tenant has no other.
    await imports.dropStandardCodes();
    run = await imports.run();
    await stageSource(imports.client, run.staging);
    imports.runner.start();
    staging = await imports.loading().load(run);
  });
  afterAll(() => imports.close());

  const idOf = (table: string, importId: string) =>
    recordId(imports.tenant.streamId, 'Ledger & Quill', table, importId);

  /** Counts and sums of live rows in a read model, by the ids of a column, or under '' for all. */
  async function figures(table: string, amount: string, by: string | null, where = 'true') {
    const key = by === null ? `''` : by;
    const rows = await imports.sql<{ key: string; count: number; amount: string }>(
      `select ${key}::text as key, count(*)::int as count, sum(${amount})::numeric(20, 2)::text as amount
       from read_model.${table} where tenant_id = $1 and not is_deleted and ${where}
       ${by === null ? '' : `and ${by} is not null group by 1`}`,
      [staging.id],
    );
    return Object.fromEntries(rows.map(({ key: name, ...figure }) => [name.replaceAll('-', ''), figure]));
  }

  /** The source's figures, by the ids of the records that the keys become. */
  function expected(table: string, by: Readonly<Record<string, Figure>>) {
    return Object.fromEntries(
      Object.entries(by).map(([key, figure]) => [idOf(table, key).split('_')[1], { ...figure }]),
    );
  }

  it('is the tenant behind the staging alias, which the request names', async () => {
    expect(staging.alias).toBe('firm--staging');
    const requests = await imports.sql('select staging_tenant_id as id from import.requests');
    expect(requests).toEqual([{ id: staging.id }]);
    for (const [table, { loaded }] of run.counts) expect([table, loaded]).toEqual([table, firm.rows[table]]);
    // All tables but Info and ControlTotal, whose rows become no records.
    expect(run.counts.size).toBe(20);
  });

  it('has all work, by matter and by fee earner', async () => {
    expect(await figures('work_items', 'total', null)).toEqual({ '': firm.work.total });
    expect(await figures('work_items', 'total', 'matter_id')).toEqual(expected('Matter', firm.work.byMatter));
    expect(await figures('work_items', 'total', 'employee_id')).toEqual(
      expected('Employee', firm.work.byFeeEarner),
    );
  });

  it('has all unbilled work, by matter and by fee earner', async () => {
    const open = 'is_billable and matter_id is not null and item_state in (0, 1)';
    const of = (by: string | null) => figures('work_items', 'remaining', by, open);
    expect(await of(null)).toEqual({ '': firm.unbilledWork.total });
    expect(await of('matter_id')).toEqual(expected('Matter', firm.unbilledWork.byMatter));
    expect(await of('employee_id')).toEqual(expected('Employee', firm.unbilledWork.byFeeEarner));
  });

  it('has all billed work', async () => {
    const rows = await imports.sql<{ count: number; amount: string }>(
      `select count(distinct work_item_id)::int as count, sum(billed)::numeric(20, 2)::text as amount
       from read_model.fee_analysis where tenant_id = $1 and billed <> 0`,
      [staging.id],
    );
    expect(rows[0].amount).toBe(firm.billed.total.amount);
    expect((await figures('work_items', 'total', null, 'item_state = 2'))[''].count).toBe(
      firm.billed.total.count,
    );
  });

  it('has all unpaid balances of invoices, in total and by matter', async () => {
    expect(await figures('invoices', 'balance', null, 'balance <> 0')).toEqual({ '': firm.debtors.total });
    expect(await figures('invoices', 'balance', 'matter_id', 'balance <> 0')).toEqual(
      expected('Matter', firm.debtors.byMatter),
    );
  });

  it('has invoices with the same numbers, states and totals', async () => {
    const states = ['Draft', 'Issued', 'PartPaid', 'Paid', 'Voided', 'WrittenOff'];
    const rows = await imports.sql<{ id: string; number: string; state: number; total: string; due: string }>(
      `select id, number, invoice_state as state, total::numeric(20, 4)::text as total, due_date as due
       from read_model.invoices where tenant_id = $1`,
      [staging.id],
    );
    const loaded = new Map(rows.map((row) => [row.id.replaceAll('-', ''), row]));
    const { rows: source } = await imports.client.query(
      `select "ImportId", "Number", "State", "Total"::text as "Total" from ${sourceTable('Invoice')}`,
    );
    for (const { ImportId, Number: number, State, Total } of source) {
      const row = loaded.get(idOf('Invoice', ImportId).split('_')[1])!;
      expect({ number: row.number, state: states[row.state] }).toEqual({ number, state: State });
      if (Total !== null) expect([ImportId, row.total]).toEqual([ImportId, Total]);
    }
    expect(loaded.size).toBe(source.length);
  });

  it('has each record in the state that its row says', async () => {
    for (const [table, kind, names] of [
      ['WorkItem', 'workitem', ['Pending', 'Finalised', 'Billed', 'WrittenOff']],
      ['CostRecovery', 'costrecovery', ['Pending', 'Finalised', 'Billed', 'WrittenOff']],
      ['Matter', 'matter', ['', 'Open', 'Closed', 'Archived']],
      ['Client', 'client', ['New', 'Active', 'Inactive']],
      ['Employee', 'employee', ['New', 'Active', 'Inactive']],
      ['Supplier', 'supplier', ['New', 'Active', 'Inactive']],
    ] as const) {
      const streams = await imports.sql<{ id: string; state: number }>(
        `select replace(stream_id::text, '-', '') as id, (state -> 'data' ->> 'state')::int as state
         from event_store.streams where tenant_id = $1 and kind = $2`,
        [staging.id, kind],
      );
      const { rows } = await imports.client.query(`select "ImportId", "State" from ${sourceTable(table)}`);
      const source = rows.map(({ ImportId, State }) => [idOf(table, ImportId).split('_')[1], State]);
      expect(Object.fromEntries(streams.map(({ id, state }) => [id, names[state]]))).toEqual(
        Object.fromEntries(source),
      );
    }
  });

  it('has streams, links, keys and read models that agree with its events', async () => {
    expect(await imports.verifier.verify('firm--staging')).toMatchObject({ differences: 0, findings: [] });
    for (const { name } of allProjections) {
      const audited = await imports.audit.audit(name, { tenant: 'firm--staging' });
      expect([name, audited.differing, audited.differences]).toEqual([name, 0, []]);
    }
    for (const { rows, differences } of await imports.reconciliation.run('firm--staging')) {
      expect(rows).toBeGreaterThan(0);
      expect(differences).toEqual([]);
    }
  });

  it('leaves nothing unbilled on closed matters, and marks the tax rates that were charged', async () => {
    await imports.sql('analyze event_store.links, event_store.streams');
    const unfinished = await imports.sql(
      `select l.kind from event_store.links l
       join event_store.streams m on m.tenant_id = l.tenant_id and m.stream_id = l.target
       where l.tenant_id = $1 and l.kind in ('unbilled_work', 'unbilled_cost', 'draft_invoice')
         and (m.state -> 'data' ->> 'state')::int <> 1`,
      [staging.id],
    );
    expect(unfinished).toEqual([]);
    const used = await imports.sql(
      `select 1 from event_store.events where tenant_id = $1 and type = 'TaxCodeUsed'`,
      [staging.id],
    );
    expect(used.length).toBeGreaterThan(0);
  });

  it('has events that name who requested the import, and the import as their source', async () => {
    const metadata = await imports.sql<{ actor: string; source: string }>(
      `select distinct metadata ->> 'actor' as actor, metadata ->> 'source' as source
       from event_store.events where tenant_id = $1`,
      [staging.id],
    );
    expect(metadata).toEqual([{ actor: 'integration:etl', source: 'import' }]);
  });
});
