import type { RequestContext } from '#platform/request-context';
import { definitions } from '#practice/areas';
import * as billable from '#practice/billable/billable.commands';
import {
  ActivateClient,
  ActivateClientHandler,
  CreateClient,
  CreateClientHandler,
} from '#practice/clients/client.commands';
import { CreateDivision, CreateDivisionHandler } from '#practice/divisions/division.commands';
import { employeeWriting } from '#practice/employees/employee.commands';
import { CreateEntity, CreateEntityHandler } from '#practice/entities/entity.commands';
import * as invoice from '#practice/invoices/invoice.commands';
import { CreateInvoice, CreateInvoiceHandler } from '#practice/invoices/invoice.draft.commands';
import { matterTypeWriting } from '#practice/matter-types/matter-type.commands';
import { OpenMatter, OpenMatterHandler } from '#practice/matters/matter.commands';
import { CreateRecord, CreateRecordHandler } from '#practice/records/records.commands';
import type { AnyWriting } from '#practice/records/write-record';
import { taskTypeWriting } from '#practice/task-types/task-type.commands';
import { taxCodeWriting } from '#practice/tax-codes/tax-code.commands';
import { createFirm, listRecords } from '#practice/testing/firm';
import { allProjections } from '#practice/testing/projected-firms';
import type { Do } from '#practice/testing/work-life';
import { WorkItem } from '#practice/work-items/work-item';
import { RecordWorkItem, RecordWorkItemHandler } from '#practice/work-items/work-item.commands';
import { workItems } from '#practice/work-items/work-item.queries';
import { projectionParts } from '#projections/testing/parts';
import { SetClock } from '../../../test/support/set-clock';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { ReportsApplication } from './reports-application';

/** An hour costs 100 pounds, so a unit of six minutes costs 10. */
const rate = { Amount: 100, Currency: 'GBP' };

/** The firm's time unless a test sets another. */
const TODAY = new Date('2025-07-01T09:00:00Z');

/**
 * A firm for tests, in which work is recorded and billed through the commands' handlers, and whose read models the
 * reports read: two fee earners, Ash and Bell; matters M1, of the type Property, and M2.
 */
export class BilledFirm {
  private readonly employees = new Map<string, string>();
  private readonly matters = new Map<string, string>();
  private readonly parts: ReturnType<typeof projectionParts>;
  private clientId!: string;
  private taskTypeId!: string;

  private constructor(
    readonly store: TestStore,
    readonly context: RequestContext,
    readonly reports: ReportsApplication,
    private readonly clock: SetClock,
  ) {
    this.parts = projectionParts(store, allProjections);
  }

  static async open(): Promise<BilledFirm> {
    const clock = new SetClock(TODAY);
    const store = await createTestStore(definitions, clock);
    const context = await createFirm(store);
    // The store drops the database after the application has closed.
    const database = { url: store.url, drop: async () => undefined };
    const reports = await ReportsApplication.over(database, { one: context.tenant.id });
    const firm = new BilledFirm(store, context, reports, clock);
    await firm.found();
    firm.parts.runner.start();
    await firm.settled();
    return firm;
  }

  async close(): Promise<void> {
    await this.reports.stop();
    await this.parts.bus.onApplicationShutdown();
    await this.store.close();
  }

  /** Resolves once the read models show all events. */
  async settled(): Promise<void> {
    await waitFor(async () => (await this.parts.status.list()).every(({ lag }) => lag === 0), {
      description: 'the read models to show all events',
    });
  }

  /** Runs work with the clock set to a day. */
  async on<Result>(day: string, work: () => Promise<Result>): Promise<Result> {
    this.clock.at = new Date(`${day}T09:00:00Z`);
    try {
      return await work();
    } finally {
      this.clock.at = TODAY;
    }
  }

  /** Records units of work at 10 pounds each, finalised at once. Returns the id. */
  async work(employee: string, matter: string | null, day: string, units: number, more: object = {}) {
    const body = {
      employeeId: this.employees.get(employee)!,
      matterId: matter && this.matters.get(matter)!,
      itemType: 0 as const,
      entryDate: `${day}T10:00:00.000Z`,
      durationTicks: 0,
      units,
      rate,
      ...more,
    };
    return (await this.act(RecordWorkItem, RecordWorkItemHandler, body)).record.id;
  }

  /** Records work with the firm's only task type. */
  task(employee: string, matter: string, day: string, units: number): Promise<string> {
    return this.work(employee, matter, day, units, { taskTypeId: this.taskTypeId });
  }

  unfinalise(id: string) {
    return this.act(billable.UnfinaliseBillable, billable.UnfinaliseBillableHandler, WorkItem, id);
  }

  reinstate(id: string) {
    return this.act(billable.ReinstateBillable, billable.ReinstateBillableHandler, WorkItem, id);
  }

  /** @param part units or amount; everything that remains if neither is given */
  writeOff(id: string, writeOffDate: string, part: { units?: number; amount?: number } = {}) {
    const body = { reason: 'Goodwill', writeOffDate, ...part };
    return this.act(billable.WriteOffBillable, billable.WriteOffBillableHandler, WorkItem, id, body);
  }

  /** Creates a draft that charges an amount for each item, by default everything that remains. Returns the id. */
  async draft(matter: string, charges: [id: string, amount?: number][]): Promise<string> {
    const lines = charges.map(([sourceId, amount]) => ({ kind: 'Fee' as const, sourceId, amount }));
    const body = { clientId: this.clientId, matterId: this.matters.get(matter)!, lines };
    return (await this.act(CreateInvoice, CreateInvoiceHandler, body)).record.id;
  }

  async bill(matter: string, issueDate: string, charges: [id: string, amount?: number][]): Promise<string> {
    const id = await this.draft(matter, charges);
    await this.act(invoice.IssueInvoice, invoice.IssueInvoiceHandler, id, { issueDate });
    return id;
  }

  unissue(id: string, date: string) {
    return this.act(invoice.UnissueInvoice, invoice.UnissueInvoiceHandler, id, { date });
  }

  void(id: string, date: string) {
    return this.act(invoice.VoidInvoice, invoice.VoidInvoiceHandler, id, { date });
  }

  /** All work items as REST shows them. */
  workItems() {
    return listRecords(this.store, this.context, workItems, { pageSize: 200 });
  }

  private readonly act: Do = (Command, Handler, ...args) =>
    new Handler(this.store.store).execute(new Command(this.context, ...args));

  private async found(): Promise<void> {
    const create = async (writing: AnyWriting, body: object) =>
      (await this.act(CreateRecord, CreateRecordHandler, writing, body)).record.id;
    const person = async (lastName: string) =>
      (await this.act(CreateEntity, CreateEntityHandler, { entityType: 'Individual' as const, lastName }))
        .record.id;
    const rates = [{ percent: 20, from: '2011-01-04' }];
    await create(taxCodeWriting, { code: 'STD', name: 'Standard rate', category: 'Standard', rates });
    this.taskTypeId = await create(taskTypeWriting, { code: 'A103', name: 'Drafting' });
    const matterTypeId = await create(matterTypeWriting, { name: 'Property' });
    const division = await this.act(CreateDivision, CreateDivisionHandler, { name: 'Litigation' });
    for (const name of ['Ash', 'Bell']) {
      this.employees.set(name, await create(employeeWriting, { entityId: await person(name) }));
    }
    const entityId = await person('Client');
    this.clientId = (await this.act(CreateClient, CreateClientHandler, { entityId })).record.id;
    await this.act(ActivateClient, ActivateClientHandler, this.clientId);
    for (const matterNumber of ['M1', 'M2']) {
      const body = {
        clientId: this.clientId,
        divisionId: division.record.id,
        title: matterNumber,
        matterNumber,
      };
      const typed = matterNumber === 'M1' ? { ...body, matterTypeId } : body;
      this.matters.set(matterNumber, (await this.act(OpenMatter, OpenMatterHandler, typed)).record.id);
    }
  }
}
