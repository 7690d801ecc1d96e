import type { RegisteredTenant } from '#platform/auth/tenants';
import type { RequestContext } from '#platform/request-context';
import { createFirm } from '#practice/testing/firm';
import { liveFirm } from '#practice/testing/firm-life';
import { type Imports, openImports } from '../testing/import-parts';
import { type StagedRows, stageRows } from '../testing/staged-rows';

/** Kinds of the tenant's records to which an import may refer. */
const KINDS = ['division', 'mattertype', 'tasktype', 'taxcode', 'disbursementcode', 'supplier'] as const;
const ALL = [...KINDS, 'entity', 'employee', 'client', 'matter', 'role', 'rateset'] as const;

describe('an import that refers to records of the tenant', () => {
  let imports: Imports;
  let production: RequestContext;
  let staging: RegisteredTenant;
  let own: Record<string, string[]>;

  const idsOf = async (tenant: number) => {
    const rows = await imports.sql<{ kind: string; id: string }>(
      `select kind, kind || '_' || replace(stream_id::text, '-', '') as id from event_store.streams
       where tenant_id = $1 and not coalesce((state -> 'data' ->> 'isDeleted')::boolean, false) order by id`,
      [tenant],
    );
    const ids: Record<string, string[]> = {};
    for (const { kind, id } of rows) (ids[kind] ??= []).push(id);
    return ids;
  };

  async function rowsNaming(ids: Record<string, string[]>): Promise<StagedRows> {
    const [{ id: client }] = await imports.sql<{ id: string }>(
      `select 'client_' || replace(stream_id::text, '-', '') as id from event_store.streams
       where tenant_id = $1 and kind = 'client' and state -> 'data' ->> 'state' = '1' limit 1`,
      [production.tenant.id],
    );
    const work = (index: number, row: Record<string, string>) => ({
      ImportId: `W${index}`,
      MatterId: ids.matter[0],
      EmployeeId: ids.employee[0],
      ItemType: 'Itemised',
      EntryDate: '2026-02-03T10:00:00.0000000',
      Rate: '80.0000000000',
      RateCurrency: 'GBP',
      State: 'Finalised',
      IsBillable: '1',
      ...row,
    });
    const matter = (index: number, row: Record<string, string>) => ({
      ImportId: `M${index}`,
      ClientId: client,
      DivisionId: ids.division[0],
      Title: 'Lease',
      DateOpened: '2026-01-05T09:00:00.0000000',
      State: 'Open',
      ...row,
    });
    const kinds = await imports.sql<{ id: string; kind: string | null }>(
      `select 'disbursementcode_' || replace(stream_id::text, '-', '') as id, state -> 'data' ->> 'kind' as kind
       from event_store.streams where tenant_id = $1 and kind = 'disbursementcode'
         and not (state -> 'data' ->> 'isDeleted')::boolean`,
      [production.tenant.id],
    );
    return {
      DisbursementCode: ids.taxcode.map((TaxCodeId, index) => ({
        ImportId: `X${index}`,
        Code: `X${index}`,
        Name: 'Search',
        TaxCodeId,
      })),
      Matter: [
        ...ids.division.map((DivisionId) => ({ DivisionId })),
        ...ids.mattertype.map((MatterTypeId) => ({ MatterTypeId })),
        ...ids.client.map((ClientId) => ({ ClientId })),
      ].map((row, index) => matter(index, row)),
      WorkItem: [
        ...ids.matter.map((MatterId) => ({ MatterId })),
        ...ids.employee.map((EmployeeId) => ({ EmployeeId })),
        ...ids.tasktype.map((TaskTypeId) => ({ TaskTypeId })),
      ].map((row, index) => work(index, row)),
      CostRecovery: [
        ...kinds.map(({ id, kind }) => ({ DisbursementCodeId: id, Kind: kind ?? 'CostRecovery' })),
        ...ids.supplier.map((SupplierId) => ({ SupplierId, DisbursementCodeId: 'X0', Kind: 'Incurred' })),
      ].map((row, index) => ({
        ImportId: `K${index}`,
        MatterId: ids.matter[0],
        EntryDate: '2026-02-04T10:00:00.0000000',
        Quantity: '2.0000',
        UnitAmount: '3.0000',
        State: 'Finalised',
        SupplierId: ids.supplier[0],
        ...row,
      })),
    };
  }

  beforeAll(async () => {
    imports = await openImports();
    production = await createFirm(imports.store);
    await liveFirm(imports.store.store, production);
    own = await idsOf(production.tenant.id);
    const run = await imports.run({
      tenant: { ...production.tenant, region: 'uk', createdAt: new Date() },
    });
    await stageRows(imports, run, await rowsNaming(own));
    imports.runner.start();
    staging = await imports.loading().load(run);
  });
  afterAll(() => imports.close());

  it('has exact copies of those records and of what they refer to', async () => {
    const copies = await idsOf(staging.id);
    for (const kind of KINDS) expect([kind, copies[kind]]).toEqual([kind, expect.arrayContaining(own[kind])]);
    let compared = 0;
    for (const kind of ALL) {
      for (const id of copies[kind].filter((one) => own[kind].includes(one))) {
        const [copy, original] = [await imports.find(staging, id), await imports.find(production.tenant, id)];
        // In the copy only the name shows the erasure: it has no encryption key that could be destroyed.
        if (kind === 'entity') Object.assign(original!, { anonymisedOn: null });
        expect([id, copy]).toEqual([id, original]);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(20);
    expect((await imports.verifier.verify(staging.alias)).findings).toEqual([]);
  });

  it('keeps the personal data of copies under keys of the staging tenant', async () => {
    const keys = await imports.sql<{ keys: number; wrapped: number }>(
      `select count(*)::int as keys, count(distinct k.wrapped)::int as wrapped
       from event_store.subject_keys k join event_store.subject_keys o using (subject)
       where k.tenant_id = any($1) and o.tenant_id = any($1) and o.tenant_id <> k.tenant_id`,
      [[staging.id, production.tenant.id]],
    );
    expect(keys[0].keys).toBeGreaterThan(0);
    expect(keys[0].wrapped).toBe(keys[0].keys);
    const names = await imports.sql<{ name: string }>(
      'select sort_name as name from read_model.people where tenant_id = $1 and not is_deleted',
      [staging.id],
    );
    // Encrypted data may contain short names by chance.
    const telling = names.map(({ name }) => name.split(',')[0]).filter((name) => name.length > 5);
    expect(telling.length).toBeGreaterThan(0);
    const [{ clear }] = await imports.sql<{ clear: number }>(
      `select count(*)::int as clear from event_store.events e, unnest($2::text[]) n
       where e.tenant_id = $1 and e.type like 'Entity%' and n not like 'Erased%' and strpos(e.data::text, n) > 0`,
      [staging.id, telling],
    );
    expect(clear).toBe(0);
  });

  it('continues the numbers of the tenant', async () => {
    const counter = async (tenant: number) => {
      const rows = await imports.sql<{ value: number }>(
        `select value::int from event_store.counters where tenant_id = $1 and name = 'matter_number'`,
        [tenant],
      );
      return rows[0].value;
    };
    const numbers = await imports.sql<{ number: string }>(
      `select matter_number as number from read_model.matters where tenant_id = $1 and title = 'Lease'
       order by matter_number::int`,
      [staging.id],
    );
    const before = await counter(production.tenant.id);
    expect(numbers.map(({ number }) => number)).toEqual(
      numbers.map((_, index) => String(before + index + 1)),
    );
    expect(await counter(staging.id)).toBe(before + numbers.length);
  });

  it('cannot add parts to records of the tenant', async () => {
    const run = await imports.run();
    for (const [table, row] of [
      ['Payment', { InvoiceId: own.invoice[0], Date: '2026-02-01', Amount: '10.0000' }],
      ['TaxRate', { TaxCodeId: own.taxcode[0], Percent: '20.0000', FromDate: '2026-02-01' }],
      ['InvoiceLine', { InvoiceId: 'I1', WorkItemId: own.workitem[0], Kind: 'Fee' }],
    ] as const) {
      await stageRows(imports, run, { [table]: [{ ImportId: 'P1', ...row }] });
      await expect(imports.loading().load(run)).rejects.toMatchObject({ code: 'part_of_existing' });
    }
  });
});
