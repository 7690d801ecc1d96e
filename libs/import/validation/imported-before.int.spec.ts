import { at } from '#event-store/load';
import { newId } from '#kernel/ids';
import { ApplicableRate } from '#practice/applicable-rates/applicable-rate';
import { Client } from '#practice/clients/client';
import { DisbursementCode } from '#practice/disbursement-codes/disbursement-code';
import { Employee } from '#practice/employees/employee';
import { Entity } from '#practice/entities/entity';
import { MatterType } from '#practice/matter-types/matter-type';
import { Matter } from '#practice/matters/matter';
import { TaskType } from '#practice/task-types/task-type';
import { Reconciliation } from '../reconciliation/reconciliation';
import { recordId } from '../records/record-id';
import { type Imports, openImports } from '../testing/import-parts';
import { promotionParts } from '../testing/promotion-parts';
import { type StagedRows, stageRows } from '../testing/staged-rows';
import { checkedRowsOf, validationOf } from './testing/validation-of';

type Cells = Record<string, string>;

const several = (count: number, row: (index: number) => Cells) =>
  Array.from({ length: count }, (_, index) => row(index + 1));

const work = (ImportId: string, cells: Cells): Cells => ({
  ...{ ImportId, EmployeeId: 'EMP-1', ItemType: 'Timed', State: 'Pending', IsBillable: '1' },
  ...{ EntryDate: '2025-03-03T10:00:00.0000000', DurationTicks: '36000000000', Rate: '200.0000000000' },
  ...{ RateCurrency: 'GBP', ...cells },
});
const cost = (ImportId: string, cells: Cells): Cells => ({
  ...{ ImportId, MatterId: 'MAT-1', DisbursementCodeId: 'DC-1', Kind: 'CostRecovery', State: 'Pending' },
  ...{ EntryDate: '2025-03-03T10:00:00.0000000', Quantity: '1.0000', UnitAmount: '5.0000', ...cells },
});
const matter = (ImportId: string, cells: Cells): Cells => ({
  ...{ ImportId, DivisionId: 'D-1', Title: 'Lease', State: 'Open' },
  ...{ DateOpened: '2025-01-01T00:00:00.0000000', ...cells },
});
const rate = (ImportId: string, cells: Cells): Cells => ({
  ...{ ImportId, Scope: 'Client', Rate: '10', Per: 'Hour', EffectiveFrom: '2025-06-01', ...cells },
});
const invoice = (ImportId: string, cells: Cells): Cells => ({
  ...{ ImportId, Number: ImportId, IssueDate: '2025-06-30', Currency: 'GBP', State: 'Issued', ...cells },
});

/** As many of each kind as production changes one by one. */
const firm: StagedRows = {
  Division: [{ ImportId: 'D-1', Name: 'Property' }],
  MatterType: several(3, (n) => ({ ImportId: `MT-${n}`, Name: `Type ${n}` })),
  TaskType: several(3, (n) => ({
    ...{ ImportId: `TT-${n}`, Code: `XX${n}`, Name: 'Calls', ItemType: 'Timed', IsBillable: '1' },
  })),
  DisbursementCode: several(2, (n) => ({
    ...{ ImportId: `DC-${n}`, Code: `XD${n}`, Name: 'Search', TaxCodeId: 'TAX-1' },
  })),
  TaxCode: [
    { ImportId: 'TAX-1', Code: 'XT1', Name: 'Ours', Scheme: 'VAT', Category: 'Standard' },
    { ImportId: 'TAX-2', Code: 'XT2', Name: 'None', Scheme: 'VAT', Category: 'Zero' },
  ],
  TaxRate: [{ ImportId: 'TR-1', TaxCodeId: 'TAX-1', Percent: '20', FromDate: '2011-01-04' }],
  Entity: several(10, (n) => ({ ImportId: `ENT-${n}`, EntityType: 'Organisation', Name: `Mill ${n} Ltd` })),
  Employee: several(2, (n) => ({
    ...{ ImportId: `EMP-${n}`, EntityId: `ENT-${n}`, IsFeeEarner: '1', State: 'Active' },
  })),
  Client: several(5, (n) => ({ ImportId: `CLI-${n}`, EntityId: `ENT-${n}`, State: 'Active' })),
  Matter: [
    ...several(5, (n) => matter(`MAT-${n}`, { ClientId: 'CLI-1' })),
    matter('MAT-OF-5', { ClientId: 'CLI-5' }),
  ],
  ApplicableRate: [
    rate('AR-1', { ScopeId: 'CLI-1', Rate: '12', EffectiveFrom: '2020-01-01', EffectiveTo: '2020-12-31' }),
  ],
  WorkItem: [
    ...several(5, (n) => work(`W-MAT-${n}`, { MatterId: `MAT-${n}`, TaskTypeId: 'TT-2', Units: '10.0000' })),
    work('W-BILLED', { MatterId: 'MAT-5', State: 'Billed' }),
  ],
  CostRecovery: [cost('C-1', { DisbursementCodeId: 'DC-2' })],
  Invoice: [invoice('I-1', { ClientId: 'CLI-1', MatterId: 'MAT-5', Total: '240.0000' })],
  InvoiceLine: [{ ImportId: 'L-1', InvoiceId: 'I-1', Kind: 'Fee', WorkItemId: 'W-BILLED' }],
};

describe('rows that refer to rows whose records production has changed since their import', () => {
  let imports: Imports;
  let parts: ReturnType<typeof promotionParts>;
  const runs: Awaited<ReturnType<Imports['run']>>[] = [];

  beforeAll(async () => {
    imports = await openImports('uk');
    parts = promotionParts(imports);
    imports.runner.start();
    await promote(firm);
  });
  afterEach(async () => {
    for (const run of runs.splice(0)) await imports.finish(run);
  });
  afterAll(() => imports.close());

  async function promote(rows: StagedRows) {
    const turn = await parts.staged((run) => stageRows(imports, run, rows));
    const arrived = await parts.promotion.promote(turn);
    expect(await parts.findings(turn)).toEqual([]);
    await parts.over(turn);
    return arrived;
  }

  const idOf = (table: string, importId: string) =>
    recordId(imports.tenant.streamId, 'Ledger', table, importId);

  /** What somebody does in production. */
  // biome-ignore lint/suspicious/noExplicitAny: any record's events
  async function happens(definition: any, id: string, type: string, data: object = {}) {
    await imports.store.store.execute(imports.production, async (unit) => {
      const { found } = await unit.load({ found: at(definition, id as never) });
      return unit.change(definition, found as never, [{ type, data }] as never);
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: any record's events
  async function begins(definition: any, kind: Parameters<typeof newId>[0], type: string, data: object) {
    const event = { type, data: { ...data, externalReference: null, referenceOwner: null } };
    await imports.store.store.execute(imports.production, async (unit) =>
      unit.create(definition, newId(kind) as never, [event] as never),
    );
  }

  /** The same source again, with more rows. */
  async function stage(more: StagedRows, base = firm) {
    const run = await imports.run();
    runs.push(run);
    const tables = [...new Set([...Object.keys(base), ...Object.keys(more)])];
    const rows = tables.map((table) => [table, [...(base[table] ?? []), ...(more[table] ?? [])]]);
    await stageRows(imports, run, Object.fromEntries(rows));
    return run;
  }

  async function found(more: StagedRows, base?: StagedRows): Promise<string[]> {
    const run = await stage(more, base);
    await validationOf(imports).validate(run);
    const rows = await imports.sql<{ found: string }>(
      `select concat_ws(' ', code, table_name, import_id, column_name) as found
       from import.findings where request_id = $1 order by 1`,
      [run.requestId],
    );
    await imports.finish(run);
    return rows.map((row) => row.found);
  }

  const byIds = (rows: StagedRows, ids: Record<string, string>): StagedRows =>
    Object.fromEntries(
      Object.entries(rows).map(([table, list]) => [
        table,
        list.map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, cell]) => [
              name,
              name === 'ImportId' ? cell : (ids[cell] ?? cell),
            ]),
          ),
        ),
      ]),
    );

  /** The same findings whether a reference is by ImportId or by the record's id; and none without new rows. */
  async function expectFound(more: StagedRows, referred: [table: string, key: string][], findings: string[]) {
    expect(await found(more)).toEqual(findings);
    const ids = Object.fromEntries(referred.map(([table, key]) => [key, idOf(table, key)]));
    expect(await found(byIds(more, ids))).toEqual(findings);
    expect(await found({})).toEqual([]);
  }

  it('are refused on a matter that was closed, or deleted', async () => {
    await happens(Matter, idOf('Matter', 'MAT-1'), 'MatterClosed', {
      dateClosed: '2025-12-01T00:00:00.000Z',
    });
    await happens(Matter, idOf('Matter', 'MAT-2'), 'MatterDeleted');
    await expectFound(
      {
        WorkItem: [work('N-1', { MatterId: 'MAT-1' }), work('N-2', { MatterId: 'MAT-2' })],
        CostRecovery: [cost('N-1', { MatterId: 'MAT-1' }), cost('N-2', { MatterId: 'MAT-2' })],
        Invoice: [
          invoice('N-1', { ClientId: 'CLI-1', MatterId: 'MAT-1', State: 'Draft', Number: '' }),
          invoice('N-2', { ClientId: 'CLI-1', MatterId: 'MAT-2', State: 'Draft', Number: '' }),
        ],
        ApplicableRate: [rate('N-1', { Scope: 'Matter', ScopeId: 'MAT-1' })],
      },
      [
        ['Matter', 'MAT-1'],
        ['Matter', 'MAT-2'],
      ],
      [
        'not_found CostRecovery N-2 MatterId',
        'not_found Invoice N-2 MatterId',
        'not_found WorkItem N-2 MatterId',
        'wrong_state ApplicableRate N-1 ScopeId',
        'wrong_state CostRecovery N-1 State',
        'wrong_state Invoice N-1 State',
        'wrong_state WorkItem N-1 State',
      ],
    );
  });

  it('are refused when they were there before and have changed', async () => {
    const [first, ...others] = firm.WorkItem;
    const base = { ...firm, WorkItem: [{ ...first, Title: 'Changed' }, ...others] };
    expect(await found({}, base)).toEqual(['wrong_state WorkItem W-MAT-1 State']);
  });

  it('are refused where a task type, an employee, a client or a disbursement code is out of use or deleted', async () => {
    await happens(TaskType, idOf('TaskType', 'TT-1'), 'TaskTypeDeleted');
    await happens(TaskType, idOf('TaskType', 'TT-2'), 'TaskTypeDeactivated');
    await happens(Employee, idOf('Employee', 'EMP-2'), 'EmployeeDeactivated');
    await happens(Client, idOf('Client', 'CLI-2'), 'ClientDeactivated');
    await happens(DisbursementCode, idOf('DisbursementCode', 'DC-2'), 'DisbursementCodeDeactivated');
    await expectFound(
      {
        WorkItem: [
          work('N-1', { MatterId: 'MAT-3', TaskTypeId: 'TT-1' }),
          work('N-2', { MatterId: 'MAT-3', TaskTypeId: 'TT-2' }),
          work('N-3', { MatterId: 'MAT-3', EmployeeId: 'EMP-2' }),
        ],
        CostRecovery: [cost('N-1', { MatterId: 'MAT-3', DisbursementCodeId: 'DC-2' })],
        Matter: [matter('N-1', { ClientId: 'CLI-2' })],
      },
      [
        ['TaskType', 'TT-1'],
        ['TaskType', 'TT-2'],
        ['Employee', 'EMP-2'],
        ['Client', 'CLI-2'],
        ['DisbursementCode', 'DC-2'],
      ],
      [
        'not_found WorkItem N-1 TaskTypeId',
        'wrong_state CostRecovery N-1 DisbursementCodeId',
        'wrong_state Matter N-1 ClientId',
        'wrong_state WorkItem N-2 TaskTypeId',
        'wrong_state WorkItem N-3 EmployeeId',
      ],
    );
  });

  it('are refused where a rate that was made in production overlaps, whatever it is for', async () => {
    const scope = { scope: 'Client', rate: { amount: '100', currency: 'GBP' }, per: 'Hour' };
    const agreed = { ...scope, billingGrade: null, effectiveFrom: '2025-01-01', effectiveTo: null };
    const of = (scopeId: string, employeeId: string | null, taskTypeId: string | null) =>
      begins(ApplicableRate, 'applicablerate', 'ApplicableRateCreated', {
        ...{ ...agreed, scopeId, employeeId, taskTypeId },
      });
    await of(idOf('Client', 'CLI-1'), null, null);
    await of(idOf('Client', 'CLI-1'), idOf('Employee', 'EMP-1'), idOf('TaskType', 'TT-3'));
    await expectFound(
      {
        ApplicableRate: [
          rate('N-1', { ScopeId: 'CLI-1' }),
          rate('N-2', { ScopeId: 'CLI-1', EmployeeId: 'EMP-1', TaskTypeId: 'TT-3' }),
          rate('N-3', { ScopeId: 'CLI-1', EmployeeId: 'EMP-1' }),
        ],
      },
      [
        ['Client', 'CLI-1'],
        ['Employee', 'EMP-1'],
        ['TaskType', 'TT-3'],
      ],
      ['rates_overlap ApplicableRate N-1 EffectiveFrom', 'rates_overlap ApplicableRate N-2 EffectiveFrom'],
    );
  });

  it('are no new clients, employees or suppliers of somebody who was erased', async () => {
    const data = { shownAs: 'Erased 1234', anonymisedOn: '2025-12-01T00:00:00.000Z' };
    await happens(Entity, idOf('Entity', 'ENT-9'), 'EntityAnonymised', data);
    await expectFound(
      {
        Client: [{ ImportId: 'N-1', EntityId: 'ENT-9', State: 'Active' }],
        Supplier: [{ ImportId: 'N-1', EntityId: 'ENT-9', State: 'Active' }],
        Employee: [{ ImportId: 'N-1', EntityId: 'ENT-9', IsFeeEarner: '1', State: 'Active' }],
      },
      [['Entity', 'ENT-9']],
      [
        'wrong_state Client N-1 EntityId',
        'wrong_state Employee N-1 EntityId',
        'wrong_state Supplier N-1 EntityId',
      ],
    );
  });

  it('are no matter types of three levels', async () => {
    const child = { code: null, name: 'Child', parentId: idOf('MatterType', 'MT-1') };
    const fields = { ...child, divisionIds: [], retentionYears: null };
    await begins(MatterType, 'mattertype', 'MatterTypeCreated', fields);
    const [first, ...others] = firm.MatterType;
    const base = { ...firm, MatterType: [{ ...first, ParentId: 'MT-2' }, ...others] };
    expect(await found({}, base)).toEqual(['too_deep MatterType MT-1 ParentId']);
    await happens(MatterType, idOf('MatterType', 'MT-3'), 'MatterTypeUpdated', {
      parentId: idOf('MatterType', 'MT-2'),
    });
    await expectFound(
      { MatterType: [{ ImportId: 'N-1', Name: 'Below', ParentId: 'MT-3' }] },
      [['MatterType', 'MT-3']],
      ['too_deep MatterType N-1 ParentId'],
    );
  });

  it('are told of when production has changed what they change', async () => {
    await happens(Client, idOf('Client', 'CLI-3'), 'ClientUpdated', { paymentTermsDays: 10 });
    const Client3 = firm.Client.map((row) =>
      row.ImportId === 'CLI-3' ? { ...row, PaymentTermsDays: '12' } : row,
    );
    expect(await found({}, { ...firm, Client: Client3 })).toEqual(['edited_since_import Client CLI-3']);
    // With the mistakes of other rows.
    const more = { WorkItem: [work('N-1', { MatterId: 'MAT-X' })] };
    expect(await found(more, { ...firm, Client: Client3 })).toEqual([
      'edited_since_import Client CLI-3',
      'not_found WorkItem N-1 MatterId',
    ]);
  });

  it('are counted in the units, and taxed by the code, that their matter or client has now', async () => {
    await happens(Matter, idOf('Matter', 'MAT-4'), 'MatterUpdated', { minutesPerUnit: '12' });
    await happens(Client, idOf('Client', 'CLI-5'), 'ClientUpdated', { minutesPerUnit: '15' });
    await happens(Matter, idOf('Matter', 'MAT-5'), 'MatterUpdated', { taxCodeId: idOf('TaxCode', 'TAX-2') });
    const wrong = {
      WorkItem: [
        work('N-1', { MatterId: 'MAT-4', Units: '10.0000' }),
        work('N-2', { MatterId: 'MAT-OF-5', Units: '10.0000' }),
        work('N-3', { MatterId: 'N-1', Units: '10.0000' }),
      ],
      Matter: [matter('N-1', { ClientId: 'CLI-5' })],
    };
    expect(await found(wrong)).toEqual([
      'units_differ WorkItem N-1 Units',
      'units_differ WorkItem N-2 Units',
      'units_differ WorkItem N-3 Units',
    ]);
    const right = {
      Matter: [matter('N-1', { ClientId: 'CLI-5' })],
      WorkItem: [
        work('N-1', { MatterId: 'MAT-4', Units: '5.0000' }),
        work('N-2', { MatterId: 'MAT-OF-5' }),
        work('N-3', { MatterId: 'N-1' }),
        work('N-4', { MatterId: 'MAT-5', State: 'Billed' }),
      ],
      Invoice: [invoice('N-1', { ClientId: 'CLI-1', MatterId: 'MAT-5', Total: '200.0000' })],
      InvoiceLine: [{ ImportId: 'N-1', InvoiceId: 'N-1', Kind: 'Fee', WorkItemId: 'N-4' }],
    };
    const run = await stage(right);
    expect(await validationOf(imports).validate(run)).toEqual({ errors: 0, warnings: 0 });
    const staging = await imports.loading().load(run);
    const unitsIn = async (tenant: Parameters<Imports['find']>[0], key: string) => {
      const item = await imports.find<{ units: string; minutesPerUnit: string }>(
        tenant,
        idOf('WorkItem', key),
      );
      return [item?.minutesPerUnit, item?.units];
    };
    const counted = async (tenant: Parameters<Imports['find']>[0]) =>
      Promise.all(['W-MAT-4', 'N-1', 'N-2', 'N-3'].map((key) => unitsIn(tenant, key)));
    const expected = [
      ['6', '10'],
      ['12', '5'],
      ['15', '4'],
      ['15', '4'],
    ];
    expect(await counted(staging)).toEqual(expected);
    const reconciliation = new Reconciliation(checkedRowsOf(imports), imports.store.reads);
    expect(await reconciliation.reconcile(run, staging)).toEqual({ errors: 0 });
    // Nobody's personal data comes back with them.
    expect(await imports.find(staging, idOf('Entity', 'ENT-9'))).toMatchObject({
      name: expect.stringMatching(/^Erased /),
    });
    await imports.finish(run);

    const all = Object.fromEntries(
      Object.keys(firm).map((table) => [table, [...firm[table], ...((right as StagedRows)[table] ?? [])]]),
    );
    expect(await promote(all)).toEqual({ created: 6, changed: 0 });
    expect(await counted(imports.tenant)).toEqual(expected);
    // Whatever becomes of them later, equal rows stay equal.
    await happens(Matter, idOf('Matter', 'MAT-4'), 'MatterUpdated', { minutesPerUnit: null });
    await happens(Matter, idOf('Matter', 'MAT-5'), 'MatterUpdated', { taxCodeId: null });
    expect(await promote(all)).toEqual({ created: 0, changed: 0 });
  });
});
