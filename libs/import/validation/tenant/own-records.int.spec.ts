import { Client } from '#practice/clients/client';
import { CostRecovery } from '#practice/cost-recoveries/cost-recovery';
import { DisbursementCode } from '#practice/disbursement-codes/disbursement-code';
import { Matter } from '#practice/matters/matter';
import { TaskType } from '#practice/task-types/task-type';
import { WorkItem } from '#practice/work-items/work-item';
import { Reconciliation } from '../../reconciliation/reconciliation';
import type { StagedRows } from '../../testing/staged-rows';
import { cost, firm, ImportedFirm, invoice, matter, rate, together, work } from '../testing/imported-firm';
import { ownMatter } from '../testing/own-matter';
import { checkedRowsOf, validationOf } from '../testing/validation-of';

describe("rows of an earlier import that name the tenant's own records by id", () => {
  let office: ImportedFirm;
  let own: { client: string; matter: string; code: string; taskType: string };
  let all: StagedRows;

  beforeAll(async () => {
    office = await ImportedFirm.open();
    own = await ownRecords();
    const of = { MatterId: own.matter, TaskTypeId: own.taskType };
    const charge = { MatterId: own.matter, DisbursementCodeId: own.code };
    all = together(firm, {
      Matter: [matter('N-1', { ClientId: own.client })],
      ApplicableRate: [rate('N-1', { Scope: 'Matter', ScopeId: own.matter })],
      WorkItem: [
        work('N-1', { ...of, Units: '10.0000' }),
        work('N-2', { ...of, State: 'Billed' }),
        work('N-3', { MatterId: 'N-1' }),
        work('N-4', { MatterId: 'N-1', State: 'Billed' }),
        work('N-5', { MatterId: 'MAT-1', TaskTypeId: own.taskType }),
      ],
      CostRecovery: [cost('N-1', { ...charge }), cost('N-2', { ...charge, State: 'Billed' })],
      Invoice: [
        invoice('N-1', { ClientId: own.client, MatterId: own.matter, Total: '246.0000' }),
        invoice('N-2', { ClientId: own.client, MatterId: 'N-1', Total: '240.0000' }),
      ],
      InvoiceLine: [
        { ImportId: 'N-1', InvoiceId: 'N-1', Kind: 'Fee', WorkItemId: 'N-2' },
        { ImportId: 'N-2', InvoiceId: 'N-1', Kind: 'CostRecovery', CostRecoveryId: 'N-2' },
        { ImportId: 'N-3', InvoiceId: 'N-2', Kind: 'Fee', WorkItemId: 'N-4' },
      ],
    });
    expect(await office.promote(all)).toEqual({ created: 11, changed: 0 });
  });
  afterEach(() => office?.finish());
  afterAll(() => office?.close());

  async function ownRecords() {
    const client = await office.begins(Client, 'client', 'ClientCreated', {
      entityId: office.idOf('Entity', 'ENT-9'),
      clientNumber: 'C-900',
      defaultRateSetId: null,
      taxCodeId: null,
      billingContactId: null,
      paymentTermsDays: null,
      minutesPerUnit: null,
    });
    await office.happens(Client, client, 'ClientActivated');
    return {
      client,
      matter: await office.begins(Matter, 'matter', 'MatterCreated', {
        ...ownMatter,
        clientId: client,
        matterNumber: 'M-900',
        divisionId: office.idOf('Division', 'D-1'),
        minutesPerUnit: null,
      }),
      code: await office.begins(DisbursementCode, 'disbursementcode', 'DisbursementCodeCreated', {
        code: 'OWN',
        name: 'Searches',
        kind: null,
        taxCodeId: office.idOf('TaxCode', 'TAX-1'),
        unitAmount: null,
        description: null,
        supplierId: null,
        expenseCode: null,
      }),
      taskType: await office.begins(TaskType, 'tasktype', 'TaskTypeCreated', {
        code: 'OWN',
        name: 'Own',
        itemType: null,
        phaseCode: null,
        taskCode: null,
        activityCode: null,
        narration: null,
        isBillable: true,
        rate: null,
      }),
    };
  }

  it('stay equal when those records change how work is counted, taxed and described', async () => {
    const taxCodeId = office.idOf('TaxCode', 'TAX-2');
    await office.happens(Matter, own.matter, 'MatterUpdated', { minutesPerUnit: '12', taxCodeId });
    await office.happens(Client, own.client, 'ClientUpdated', { minutesPerUnit: '15' });
    await office.happens(DisbursementCode, own.code, 'DisbursementCodeUpdated', { taxCodeId, name: 'Other' });
    await office.happens(TaskType, own.taskType, 'TaskTypeUpdated', { narration: 'Attending' });
    // The record was changed in production, so a changed row could not arrive.
    await office.happens(WorkItem, office.idOf('WorkItem', 'N-5'), 'WorkItemFinalised');
    expect(await office.promote(all)).toEqual({ created: 0, changed: 0 });
    const more = {
      WorkItem: [work('N-6', { MatterId: own.matter, TaskTypeId: own.taskType, Units: '5.0000' })],
      CostRecovery: [cost('N-6', { DisbursementCodeId: own.code })],
    };
    expect(await office.promote(together(all, more))).toEqual({ created: 2, changed: 0 });
    const find = (table: string, key: string) =>
      office.imports.find<object>(office.imports.tenant, office.idOf(table, key));
    expect(await find('WorkItem', 'N-1')).toMatchObject({ minutesPerUnit: '6', units: '10', title: null });
    expect(await find('WorkItem', 'N-6')).toMatchObject({ minutesPerUnit: '12', title: 'Attending' });
    expect(await find('CostRecovery', 'N-1')).toMatchObject({ description: 'Searches' });
    expect(await find('CostRecovery', 'N-6')).toMatchObject({ description: 'Other', taxCodeId });
  });

  it('are accepted although those records are closed or out of use, unless the rows are new', async () => {
    for (const [table, definition] of [
      ['WorkItem', WorkItem],
      ['CostRecovery', CostRecovery],
    ] as const)
      await office.happens(definition, office.idOf(table, 'N-1'), `${table}Deleted`);
    await office.happens(Matter, own.matter, 'MatterClosed', { dateClosed: '2026-01-01T00:00:00.000Z' });
    await office.happens(Client, own.client, 'ClientDeactivated');
    await office.happens(DisbursementCode, own.code, 'DisbursementCodeDeactivated');
    await office.happens(TaskType, own.taskType, 'TaskTypeDeactivated');
    const { imports } = office;
    const run = await office.stage({}, all);
    expect(await validationOf(imports).validate(run)).toEqual({ errors: 0, warnings: 0 });
    const staging = await imports.loading().load(run);
    const reconciliation = new Reconciliation(checkedRowsOf(imports), imports.store.reads);
    expect(await reconciliation.reconcile(run, staging)).toEqual({ errors: 0 });
    await office.finish();
    expect(await office.promote(all)).toEqual({ created: 0, changed: 0 });
    const more = {
      Matter: [matter('N-7', { ClientId: own.client })],
      ApplicableRate: [
        rate('N-7', {
          Scope: 'Matter',
          ScopeId: own.matter,
          EffectiveFrom: '2020-06-01',
          EffectiveTo: '2020-06-30',
        }),
      ],
      WorkItem: [work('N-7', { MatterId: own.matter, TaskTypeId: own.taskType })],
      CostRecovery: [cost('N-7', { DisbursementCodeId: own.code })],
    };
    expect(await office.found(more, all)).toEqual([
      'wrong_state ApplicableRate N-7 ScopeId',
      'wrong_state CostRecovery N-7 DisbursementCodeId',
      'wrong_state Matter N-7 ClientId',
      'wrong_state WorkItem N-7 State',
      'wrong_state WorkItem N-7 TaskTypeId',
    ]);
  });

  it('are refused when such a record was deleted, as the staging tenant could have no copy of it', async () => {
    await office.happens(TaskType, own.taskType, 'TaskTypeDeleted');
    expect(await office.found({}, all)).toEqual(
      ['N-1', 'N-2', 'N-5'].map((row) => `not_found WorkItem ${row} TaskTypeId`),
    );
  });
});
