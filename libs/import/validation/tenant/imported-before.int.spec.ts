import { ApplicableRate } from '#practice/applicable-rates/applicable-rate';
import { Client } from '#practice/clients/client';
import { DisbursementCode } from '#practice/disbursement-codes/disbursement-code';
import { Employee } from '#practice/employees/employee';
import { Entity } from '#practice/entities/entity';
import { MatterType } from '#practice/matter-types/matter-type';
import { Matter } from '#practice/matters/matter';
import { TaskType } from '#practice/task-types/task-type';
import type { StagedRows } from '../../testing/staged-rows';
import { cost, firm, ImportedFirm, invoice, matter, rate, together, work } from '../testing/imported-firm';

describe('rows that refer to rows whose records production has changed since their import', () => {
  let office: ImportedFirm;

  beforeAll(async () => {
    office = await ImportedFirm.open();
  });
  afterEach(() => office?.finish());
  afterAll(() => office?.close());

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

  /** Expects the same findings whether references are by ImportId or by record id, and none without the new rows. */
  async function expectFound(more: StagedRows, referred: [table: string, key: string][], findings: string[]) {
    expect(await office.found(more)).toEqual(findings);
    const ids = Object.fromEntries(referred.map(([table, key]) => [key, office.idOf(table, key)]));
    expect(await office.found(byIds(more, ids))).toEqual(findings);
    expect(await office.found({})).toEqual([]);
  }

  it('are refused on a matter that was closed or deleted', async () => {
    await office.happens(Matter, office.idOf('Matter', 'MAT-1'), 'MatterClosed', {
      dateClosed: '2025-12-01T00:00:00.000Z',
    });
    await office.happens(Matter, office.idOf('Matter', 'MAT-2'), 'MatterDeleted');
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

  it('are refused on a closed matter when they were imported before and have changed', async () => {
    const [first, ...others] = firm.WorkItem;
    const base = { ...firm, WorkItem: [{ ...first, Title: 'Changed' }, ...others] };
    expect(await office.found({}, base)).toEqual(['wrong_state WorkItem W-MAT-1 State']);
  });

  it('are refused where a task type, an employee, a client or a disbursement code is out of use or deleted', async () => {
    await office.happens(TaskType, office.idOf('TaskType', 'TT-1'), 'TaskTypeDeleted');
    await office.happens(TaskType, office.idOf('TaskType', 'TT-2'), 'TaskTypeDeactivated');
    await office.happens(Employee, office.idOf('Employee', 'EMP-2'), 'EmployeeDeactivated');
    await office.happens(Client, office.idOf('Client', 'CLI-2'), 'ClientDeactivated');
    await office.happens(
      DisbursementCode,
      office.idOf('DisbursementCode', 'DC-2'),
      'DisbursementCodeDeactivated',
    );
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

  it('are refused where a rate that was made in production overlaps, whatever its keys are', async () => {
    const scope = { scope: 'Client', rate: { amount: '100', currency: 'GBP' }, per: 'Hour' };
    const agreed = { ...scope, billingGrade: null, effectiveFrom: '2025-01-01', effectiveTo: null };
    const of = (scopeId: string, employeeId: string | null, taskTypeId: string | null) =>
      office.begins(ApplicableRate, 'applicablerate', 'ApplicableRateCreated', {
        ...agreed,
        scopeId,
        employeeId,
        taskTypeId,
      });
    await of(office.idOf('Client', 'CLI-1'), null, null);
    await of(
      office.idOf('Client', 'CLI-1'),
      office.idOf('Employee', 'EMP-1'),
      office.idOf('TaskType', 'TT-3'),
    );
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

  it('cannot be new clients, employees or suppliers of somebody who was erased', async () => {
    const data = { shownAs: 'Erased 1234', anonymisedOn: '2025-12-01T00:00:00.000Z' };
    await office.happens(Entity, office.idOf('Entity', 'ENT-9'), 'EntityAnonymised', data);
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

  it('cannot make matter types of three levels', async () => {
    const child = { code: null, name: 'Child', parentId: office.idOf('MatterType', 'MT-1') };
    const fields = { ...child, divisionIds: [], retentionYears: null };
    await office.begins(MatterType, 'mattertype', 'MatterTypeCreated', fields);
    const [first, ...others] = firm.MatterType;
    const base = { ...firm, MatterType: [{ ...first, ParentId: 'MT-2' }, ...others] };
    expect(await office.found({}, base)).toEqual(['too_deep MatterType MT-1 ParentId']);
    await office.happens(MatterType, office.idOf('MatterType', 'MT-3'), 'MatterTypeUpdated', {
      parentId: office.idOf('MatterType', 'MT-2'),
    });
    await expectFound(
      { MatterType: [{ ImportId: 'N-1', Name: 'Below', ParentId: 'MT-3' }] },
      [['MatterType', 'MT-3']],
      ['too_deep MatterType N-1 ParentId'],
    );
  });

  it('keep their due dates and the descriptions of their costs when the rows that they refer to change', async () => {
    const billed = cost('C-BILLED', { MatterId: 'MAT-5', State: 'Billed' });
    const line = { ImportId: 'L-C', InvoiceId: 'I-C', Kind: 'CostRecovery', CostRecoveryId: 'C-BILLED' };
    const invoiced = invoice('I-C', { ClientId: 'CLI-1', MatterId: 'MAT-5' });
    const more = { CostRecovery: [billed], Invoice: [invoiced], InvoiceLine: [line] };
    await office.promote(together(firm, more));
    const [first, ...others] = firm.Client;
    const [code, ...codes] = firm.DisbursementCode;
    const above = {
      Client: [{ ...first, PaymentTermsDays: '7' }, ...others],
      DisbursementCode: [{ ...code, Name: 'Searches' }, ...codes],
    };
    expect(await office.found(more, { ...firm, ...above })).toEqual([]);
  });

  it('get findings when production has changed the records that they change', async () => {
    await office.happens(Client, office.idOf('Client', 'CLI-3'), 'ClientUpdated', { paymentTermsDays: 10 });
    const Client3 = firm.Client.map((row) =>
      row.ImportId === 'CLI-3' ? { ...row, PaymentTermsDays: '12' } : row,
    );
    expect(await office.found({}, { ...firm, Client: Client3 })).toEqual([
      'edited_since_import Client CLI-3',
    ]);
    // Reported together with the mistakes of other rows.
    const more = { WorkItem: [work('N-1', { MatterId: 'MAT-X' })] };
    expect(await office.found(more, { ...firm, Client: Client3 })).toEqual([
      'edited_since_import Client CLI-3',
      'not_found WorkItem N-1 MatterId',
    ]);
  });

  it('are accepted when production has changed their records to what they say', async () => {
    await office.happens(Client, office.idOf('Client', 'CLI-4'), 'ClientUpdated', { paymentTermsDays: 10 });
    const withTerms = (PaymentTermsDays: string) => ({
      ...firm,
      Client: firm.Client.map((row) => (row.ImportId === 'CLI-4' ? { ...row, PaymentTermsDays } : row)),
    });
    expect(await office.found({}, withTerms('12'))).toEqual(['edited_since_import Client CLI-4']);
    expect(await office.promote(withTerms('10'))).toMatchObject({ created: 0, changed: 0 });
    expect(await office.found({}, withTerms('12'))).toEqual([]);
  });

  it('get findings when they name another default rate set than the tenant has', async () => {
    const rates = (ImportId: string, IsDefault: string) => ({
      ImportId,
      Name: `Rates ${ImportId}`,
      Currency: 'GBP',
      IsDefault,
    });
    const first = { RateSet: [rates('RS-1', '1')] };
    await office.promote(together(firm, first));
    expect(await office.found(first)).toEqual([]);
    expect(await office.found({ RateSet: [rates('RS-1', '0'), rates('RS-2', '1')] })).toEqual([
      'unused RateSet RS-2 IsDefault',
    ]);
  });
});
