import type { RegisteredTenant } from '#platform/auth/tenants';
import type { RequestContext } from '#platform/request-context';
import * as billable from '#practice/billable/billable.commands';
import { CreateClient, CreateClientHandler } from '#practice/clients/client.commands';
import type { CostRecoveryState } from '#practice/cost-recoveries/cost-recovery';
import * as cost from '#practice/cost-recoveries/cost-recovery.commands';
import type { InvoiceState } from '#practice/invoices/invoice';
import * as invoice from '#practice/invoices/invoice.commands';
import * as draft from '#practice/invoices/invoice.draft.commands';
import type { MatterState } from '#practice/matters/matter';
import * as matter from '#practice/matters/matter.commands';
import type { Do } from '#practice/testing/work-life';
import { WorkItem, type WorkItemState } from '#practice/work-items/work-item';
import * as workItem from '#practice/work-items/work-item.commands';
import { recordId } from '../records/record-id';
import { type Imports, openImports } from '../testing/import-parts';
import { type StagedRows, stageRows } from '../testing/staged-rows';

const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });
const HOUR = '36000000000';

const work = (ImportId: string, row: Record<string, string> = {}) => ({
  ImportId,
  MatterId: 'M1',
  EmployeeId: 'P1',
  ItemType: 'Timed',
  DurationTicks: HOUR,
  Title: 'Advice',
  EntryDate: '2026-02-03T10:00:00.0000000',
  Rate: '210.5000000000',
  RateCurrency: 'GBP',
  State: 'Finalised',
  IsBillable: '1',
  ...row,
});

const rows: StagedRows = {
  Division: [{ ImportId: 'D1', Name: 'Litigation' }],
  TaxCode: [{ ImportId: 'T0', Code: 'NIL', Name: 'Nil', Scheme: 'VAT', Category: 'Zero' }],
  DisbursementCode: [{ ImportId: 'X1', Code: 'SEARCH', Name: 'Search', TaxCodeId: 'T0' }],
  Entity: [
    { ImportId: 'E1', EntityType: 'Individual', LastName: 'Bell' },
    { ImportId: 'E2', EntityType: 'Organisation', Name: 'Bell Ltd' },
  ],
  Employee: [{ ImportId: 'P1', EntityId: 'E1', IsFeeEarner: '1', State: 'Active' }],
  Client: [{ ImportId: 'C1', EntityId: 'E2', State: 'Active', PaymentTermsDays: '14' }],
  Matter: ['M1', 'M2'].map((ImportId) => ({
    ImportId,
    ClientId: 'C1',
    DivisionId: 'D1',
    Title: 'Lease',
    State: 'Open',
    DateOpened: '2026-01-05T09:00:00.0000000',
    ...(ImportId === 'M2' && { MatterNumber: '40' }),
  })),
  WorkItem: [
    work('W1'),
    work('W2', { State: 'Billed' }),
    work('W3', { State: 'WrittenOff', WriteOffDate: '2026-03-01' }),
    work('W4', { State: 'Pending', Units: '7.0000' }),
    work('W5'),
  ],
  CostRecovery: [
    {
      ImportId: 'K1',
      MatterId: 'M1',
      DisbursementCodeId: 'X1',
      Kind: 'CostRecovery',
      State: 'Billed',
      EntryDate: '2026-02-04T10:00:00.0000000',
      Quantity: '2.0000',
      UnitAmount: '3.5000',
    },
  ],
  Invoice: [
    {
      ImportId: 'I1',
      ClientId: 'C1',
      MatterId: 'M1',
      Number: '12',
      IssueDate: '2026-02-28',
      Currency: 'GBP',
      State: 'PartPaid',
    },
    { ImportId: 'I2', ClientId: 'C1', MatterId: 'M1', Currency: 'GBP', State: 'Draft' },
  ],
  InvoiceLine: [
    { ImportId: 'L1', InvoiceId: 'I1', WorkItemId: 'W2', Kind: 'Fee', Amount: '180.0000' },
    { ImportId: 'L2', InvoiceId: 'I1', CostRecoveryId: 'K1', Kind: 'CostRecovery' },
    { ImportId: 'L3', InvoiceId: 'I1', Kind: 'Discount', Description: 'Loyalty', Amount: '-5.0000' },
    { ImportId: 'L4', InvoiceId: 'I2', WorkItemId: 'W5', Kind: 'Fee' },
  ],
  Payment: [{ ImportId: 'Y1', InvoiceId: 'I1', Date: '2026-03-10', Amount: '100.0000', Reference: 'BACS' }],
};

describe('a staging tenant', () => {
  let imports: Imports;
  let staging: RegisteredTenant;
  let context: RequestContext;

  const act: Do = (Command, Handler, ...args) =>
    new Handler(imports.store.store).execute(new Command(context, ...args));
  const idOf = (table: string, key: string) => recordId(imports.tenant.streamId, 'Ledger', table, key);
  const stateOf = async <State extends object>(id: string) => (await imports.find<State>(staging, id))!;
  const record = async (more: object = {}) => {
    const body = {
      matterId: idOf('Matter', 'M1'),
      employeeId: idOf('Employee', 'P1'),
      itemType: 0 as const,
      entryDate: '2026-02-03T10:00:00.000Z',
      durationTicks: Number(HOUR),
      rate: gbp(210.5),
      title: 'Advice',
      ...more,
    };
    return (await act(workItem.RecordWorkItem, workItem.RecordWorkItemHandler, body)).record.id;
  };

  beforeAll(async () => {
    imports = await openImports();
    const run = await imports.run();
    await stageRows(imports, run, rows);
    imports.runner.start();
    staging = await imports.loading().load(run);
    context = imports.contextOf(staging);
  });
  afterAll(() => imports.close());

  it('has work items in the state in which commands would have left them', async () => {
    expect(await stateOf(await record())).toEqual(await stateOf(idOf('WorkItem', 'W1')));
    const gone = await record();
    await act(billable.WriteOffBillable, billable.WriteOffBillableHandler, WorkItem, gone, {
      reason: 'Goodwill',
    });
    expect(await stateOf(gone)).toEqual(await stateOf(idOf('WorkItem', 'W3')));
    const pending = await record({ units: 7 });
    await act(billable.UnfinaliseBillable, billable.UnfinaliseBillableHandler, WorkItem, pending);
    expect(await stateOf(pending)).toEqual(await stateOf(idOf('WorkItem', 'W4')));
  });

  it('has invoices, and what they charge, in the state in which commands would have left them', async () => {
    const item = await record();
    const body = {
      matterId: idOf('Matter', 'M1'),
      disbursementCodeId: idOf('DisbursementCode', 'X1'),
      kind: 'CostRecovery' as const,
      entryDate: '2026-02-04T10:00:00.000Z',
      quantity: 2,
      unitAmount: gbp(3.5),
    };
    const search = (await act(cost.RecordCostRecovery, cost.RecordCostRecoveryHandler, body)).record.id;
    const { record: made } = await act(draft.CreateInvoice, draft.CreateInvoiceHandler, {
      clientId: idOf('Client', 'C1'),
      matterId: idOf('Matter', 'M1'),
      lines: [
        { kind: 'Fee', sourceId: item, amount: 180 },
        { kind: 'CostRecovery', sourceId: search },
        { kind: 'Discount', description: 'Loyalty', amount: 5 },
      ],
    });
    await act(invoice.IssueInvoice, invoice.IssueInvoiceHandler, made.id, { issueDate: '2026-02-28' });
    await act(invoice.PayInvoice, invoice.PayInvoiceHandler, made.id, {
      amount: 100,
      date: '2026-03-10',
      reference: 'BACS',
    });
    const [ours, theirs] = [
      await stateOf<InvoiceState>(made.id),
      await stateOf<InvoiceState>(idOf('Invoice', 'I1')),
    ];
    const named = { W2: item, K1: search };
    expect(ours).toEqual({
      ...theirs,
      number: '13',
      lines: theirs.lines.map((line, index) => ({
        ...line,
        sourceId: Object.values(named)[index] ?? null,
      })),
    });
    for (const [id, other] of [
      [item, await stateOf<WorkItemState>(idOf('WorkItem', 'W2'))],
      [search, await stateOf<CostRecoveryState>(idOf('CostRecovery', 'K1'))],
    ] as const)
      expect(await stateOf(id)).toEqual({ ...other, invoiceId: made.id });
    expect(theirs).toMatchObject({ state: 2, dueDate: '2026-03-14', tax: '35' });
  });

  it('can be worked in: a draft is issued with the next number, and a pending item changed', async () => {
    const id = idOf('Invoice', 'I2');
    const { record: issued } = await act(invoice.IssueInvoice, invoice.IssueInvoiceHandler, id, {
      issueDate: '2026-04-02',
    });
    expect(issued.data).toMatchObject({ number: '14', state: 1 });
    expect(await stateOf(idOf('WorkItem', 'W5'))).toMatchObject({ state: 2, invoiceId: id });
    const { record: changed } = await act(
      workItem.UpdateWorkItem,
      workItem.UpdateWorkItemHandler,
      idOf('WorkItem', 'W4'),
      { units: 8 },
    );
    expect(changed.data).toMatchObject({ units: '8', total: '168.4' });
  });

  it('numbers new matters after those of the import', async () => {
    const body = { clientId: idOf('Client', 'C1'), divisionId: idOf('Division', 'D1'), title: 'New' };
    const { record: opened } = await act(matter.OpenMatter, matter.OpenMatterHandler, body);
    const numbers = [
      await stateOf<MatterState>(idOf('Matter', 'M2')),
      await stateOf<MatterState>(idOf('Matter', 'M1')),
      opened.data,
    ].map(({ matterNumber }) => matterNumber);
    expect(numbers).toEqual(['40', '41', '42']);
  });

  it('refuses what the imported records forbid', async () => {
    const close = act(matter.CloseMatter, matter.CloseMatterHandler, idOf('Matter', 'M1'));
    await expect(close).rejects.toMatchObject({ code: 'unbilled_work' });
    await act(matter.CloseMatter, matter.CloseMatterHandler, idOf('Matter', 'M2'));
    const twice = { entityId: idOf('Entity', 'E2') };

    await expect(act(CreateClient, CreateClientHandler, twice)).rejects.toMatchObject({
      code: 'entity_client_taken',
    });
  });
});
