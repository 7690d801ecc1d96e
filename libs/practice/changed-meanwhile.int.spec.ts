import { createTestStore, type TestStore } from '../../test/support/store';
import { definitions } from './areas';
import * as cost from './cost-recoveries/cost-recovery.commands';
import * as division from './divisions/division.commands';
import * as drafts from './invoices/invoice.draft.commands';
import * as matter from './matters/matter.commands';
import * as rateSet from './rate-sets/rate-set.commands';
import { type BillingFirm, createBillingFirm } from './testing/billing-firm';
import * as work from './work-items/work-item.commands';

/** Rules about what refers to a record: it may come to be between the command's reading and its append. */
describe('a command is decided again when, after it has read,', () => {
  let store: TestStore;
  let firm: BillingFirm;
  let generalId: string;
  let divisionId: string;
  let matterId: string;
  let rateSetId: string;

  beforeAll(async () => {
    store = await createTestStore(definitions);
    firm = await createBillingFirm(store);
    generalId = await createDivision();
  });
  beforeEach(async () => {
    const set = { name: 'Rates', currency: 'GBP' };
    rateSetId = (await firm.act(rateSet.CreateRateSet, rateSet.CreateRateSetHandler, set)).record.id;
    divisionId = await createDivision();
    matterId = await openMatter({});
  });
  afterAll(() => store.close());

  async function createDivision(): Promise<string> {
    const body = { name: 'Branch' };
    return (await firm.act(division.CreateDivision, division.CreateDivisionHandler, body)).record.id;
  }

  async function openMatter(fields: object): Promise<string> {
    const body = { clientId: firm.clientIds[0], divisionId: generalId, title: 'Lease', ...fields };
    return (await firm.act(matter.OpenMatter, matter.OpenMatterHandler, body)).record.id;
  }

  const entered = () => ({ matterId, entryDate: '2026-01-10T12:00:00.000Z' });
  const recordWork = (isBillable: boolean) =>
    firm.act(work.RecordWorkItem, work.RecordWorkItemHandler, {
      ...entered(),
      employeeId: firm.employeeIds[0],
      itemType: 1,
      rate: { Amount: 100, Currency: 'GBP' },
      isBillable,
    });
  const recordCost = () =>
    firm.act(cost.RecordCostRecovery, cost.RecordCostRecoveryHandler, {
      ...entered(),
      disbursementCodeId: firm.disbursementCodeId,
      kind: 'CostRecovery',
      quantity: 1,
      unitAmount: { Amount: 5, Currency: 'GBP' },
    });
  const draft = () => {
    const body = { clientId: firm.clientIds[0], matterId };
    return firm.act(drafts.CreateInvoice, drafts.CreateInvoiceHandler, body);
  };

  const closing = () => firm.act(matter.CloseMatter, matter.CloseMatterHandler, matterId);
  const passing = () => {
    const body = { clientId: firm.clientIds[1] };
    return firm.act(matter.UpdateMatter, matter.UpdateMatterHandler, matterId, body);
  };
  const deletingDivision = () =>
    firm.act(division.DeleteDivision, division.DeleteDivisionHandler, divisionId);
  const deletingRates = () => firm.act(rateSet.DeleteRateSet, rateSet.DeleteRateSetHandler, rateSetId);

  it.each<[string, () => Promise<unknown>, () => Promise<unknown>, string]>([
    ['work is recorded on a matter that closes', closing, () => recordWork(true), 'unbilled_work'],
    ['a cost is recorded on a matter that closes', closing, recordCost, 'unbilled_work'],
    ['an invoice is drafted on a matter that closes', closing, draft, 'unbilled_work'],
    ['work is recorded on a matter that changes its client', passing, () => recordWork(true), 'client_fixed'],
    ['work that is not billed is recorded on it', passing, () => recordWork(false), 'client_fixed'],
    ['a cost is recorded on it', passing, recordCost, 'client_fixed'],
    ['an invoice is drafted on it', passing, draft, 'client_fixed'],
    ['a matter names a rate set that is deleted', deletingRates, () => openMatter({ rateSetId }), 'in_use'],
    [
      'a matter is opened in a division that is deleted',
      deletingDivision,
      () => openMatter({ divisionId }),
      'in_use',
    ],
  ])('%s', async (_what, command, meanwhile, code) => {
    await expect(interrupted(command, meanwhile)).rejects.toMatchObject({ fault: 'conflict', code });
  });

  /** Carries out a command, and another one just before the append of the first. */
  function interrupted(command: () => Promise<unknown>, meanwhile: () => Promise<unknown>) {
    const append = store.appender.append.bind(store.appender);
    jest.spyOn(store.appender, 'append').mockImplementationOnce((job) => meanwhile().then(() => append(job)));
    return command().finally(() => jest.restoreAllMocks());
  }
});
