import type { EventStore } from '#event-store/event-store';
import { DomainError } from '#kernel/errors';
import type { RequestContext } from '#platform/request-context';
import * as billable from '../billable/billable.commands';
import * as client from '../clients/client.commands';
import * as division from '../divisions/division.commands';
import { employeeWriting } from '../employees/employee.commands';
import * as entity from '../entities/entity.commands';
import * as invoice from '../invoices/invoice.commands';
import * as draft from '../invoices/invoice.draft.commands';
import * as matter from '../matters/matter.commands';
import * as records from '../records/records.commands';
import { taxCodeWriting } from '../tax-codes/tax-code.commands';
import { WorkItem } from '../work-items/work-item';
import * as workItem from '../work-items/work-item.commands';

/** One step in the life of a firm. */
export interface Step {
  /** The index of the firm, and that of its record of the kind concerned, each modulo their number. */
  firm: number;
  target: number;
  action: keyof Firm['actions'];
  text: string | null;
  /** The time that passes before the step. 0 gives it the same time as the step before. */
  milliseconds: number;
}

/** A firm in which any action may happen at any time. */
export class Firm {
  private readonly made: Record<'divisions' | 'entities' | 'matters' | 'work' | 'invoices', string[]> = {
    divisions: [],
    entities: [],
    matters: [],
    work: [],
    invoices: [],
  };
  private readonly fixed = { clientId: '', employeeId: '', taxCodeId: '' };

  constructor(
    private readonly store: EventStore,
    private readonly context: RequestContext,
  ) {}

  /** Creates the records that all other actions need. */
  async found(): Promise<void> {
    for (const action of ['createDivision', 'createEntity'] as const)
      await this.actions[action]('Founder', 0);
    const [entityId] = this.made.entities;
    this.fixed.clientId = await this.act(client.CreateClient, client.CreateClientHandler, { entityId });
    await this.act(client.ActivateClient, client.ActivateClientHandler, this.fixed.clientId);
    const defaultRate = { Amount: 123.4567, Currency: 'GBP' };
    this.fixed.employeeId = await this.act(
      records.CreateRecord,
      records.CreateRecordHandler,
      employeeWriting,
      {
        entityId,
        defaultRate,
      },
    );
    this.fixed.taxCodeId = await this.act(records.CreateRecord, records.CreateRecordHandler, taxCodeWriting, {
      code: 'OUT',
      name: 'Outside',
      category: 'OutOfScope',
    });
    await this.actions.openMatter('First', 0);
    for (const target of [0, 1, 2]) await this.actions.recordWork('First', target);
  }

  count(kind: keyof Firm['made']): number {
    return this.made[kind].length;
  }

  /** Carries out a step. Refusals are ignored, because random steps are often refused. */
  async live({ action, text, target }: Step): Promise<void> {
    await this.actions[action](text, target).catch((error) => {
      if (!(error instanceof DomainError)) throw error;
    });
  }

  readonly actions = {
    createDivision: (name: string | null, target: number) =>
      this.make('divisions', division.CreateDivision, division.CreateDivisionHandler, {
        name: name ?? 'Division',
        code: name,
        isDefault: target % 2 === 0,
      }),
    renameDivision: (name: string | null, target: number) =>
      this.act(division.UpdateDivision, division.UpdateDivisionHandler, this.one('divisions', target), {
        name: name ?? 'Again',
        code: null,
      }),
    createEntity: (name: string | null, target: number) =>
      this.make('entities', entity.CreateEntity, entity.CreateEntityHandler, {
        ...(target % 2
          ? { entityType: 'Organisation', name: `O${name}` }
          : { entityType: 'Individual', lastName: `I${name}` }),
        email: name,
        externalReference: null,
      } as entity.CreateEntity['body']),
    renameEntity: (email: string | null, target: number) =>
      this.act(entity.UpdateEntity, entity.UpdateEntityHandler, this.one('entities', target), { email }),
    deleteEntity: (_: unknown, target: number) =>
      this.act(entity.DeleteEntity, entity.DeleteEntityHandler, this.one('entities', target)),
    openMatter: (title: string | null, target: number) =>
      this.make('matters', matter.OpenMatter, matter.OpenMatterHandler, {
        clientId: this.fixed.clientId,
        divisionId: this.one('divisions', target),
        title: title ?? 'Untitled',
        responsiblePersonId: target % 2 ? this.fixed.employeeId : null,
      }),
    renameMatter: (title: string | null, target: number) =>
      this.act(matter.UpdateMatter, matter.UpdateMatterHandler, this.one('matters', target), {
        title: title ?? 'Renamed',
        billingContactId: target % 2 ? this.one('entities', target) : null,
      }),
    closeMatter: (_: unknown, target: number) =>
      this.act(matter.CloseMatter, matter.CloseMatterHandler, this.one('matters', target)),
    reopenMatter: (_: unknown, target: number) =>
      this.act(matter.ReopenMatter, matter.ReopenMatterHandler, this.one('matters', target)),
    deleteMatter: (_: unknown, target: number) =>
      this.act(matter.DeleteMatter, matter.DeleteMatterHandler, this.one('matters', target)),
    recordWork: (title: string | null, target: number) =>
      this.make('work', workItem.RecordWorkItem, workItem.RecordWorkItemHandler, {
        matterId: this.one('matters', target),
        employeeId: this.fixed.employeeId,
        itemType: 0,
        title,
        entryDate: '2025-06-30T23:30:00.000Z',
        durationTicks: 1_234_567_890 * (target + 1),
      } as workItem.RecordWorkItem['body']),
    changeWork: (title: string | null, target: number) =>
      this.act(workItem.UpdateWorkItem, workItem.UpdateWorkItemHandler, this.one('work', target), {
        title,
        ...(target % 2 && { units: target / 4 }),
      }),
    finalise: (_: unknown, target: number) =>
      this.act(
        billable.FinaliseBillable,
        billable.FinaliseBillableHandler,
        WorkItem,
        this.one('work', target),
      ),
    unfinalise: (_: unknown, target: number) =>
      this.act(
        billable.UnfinaliseBillable,
        billable.UnfinaliseBillableHandler,
        WorkItem,
        this.one('work', target),
      ),
    writeOff: (_: unknown, target: number) =>
      this.act(
        billable.WriteOffBillable,
        billable.WriteOffBillableHandler,
        WorkItem,
        this.one('work', target),
        { reason: 'test', ...(target % 3 && { amount: target / 8 }) },
      ),
    reinstate: (_: unknown, target: number) =>
      this.act(
        billable.ReinstateBillable,
        billable.ReinstateBillableHandler,
        WorkItem,
        this.one('work', target),
      ),
    deleteWork: (_: unknown, target: number) =>
      this.act(billable.DeleteBillable, billable.DeleteBillableHandler, WorkItem, this.one('work', target)),
    draftInvoice: (description: string | null, target: number) =>
      this.make('invoices', draft.CreateInvoice, draft.CreateInvoiceHandler, {
        clientId: this.fixed.clientId,
        matterId: this.one('matters', target),
        lines: [0, 1].map((step) => ({
          kind: 'Fee' as const,
          sourceId: this.one('work', target + step),
          description,
          taxCodeId: this.fixed.taxCodeId,
          ...(target % 3 && { amount: target / 4 }),
        })),
      }),
    issue: (_: unknown, target: number) =>
      this.act(invoice.IssueInvoice, invoice.IssueInvoiceHandler, this.one('invoices', target), {}),
    unissue: (_: unknown, target: number) =>
      this.act(invoice.UnissueInvoice, invoice.UnissueInvoiceHandler, this.one('invoices', target), {}),
    void: (_: unknown, target: number) =>
      this.act(invoice.VoidInvoice, invoice.VoidInvoiceHandler, this.one('invoices', target), {}),
    dropInvoice: (_: unknown, target: number) =>
      this.act(draft.DeleteInvoice, draft.DeleteInvoiceHandler, this.one('invoices', target)),
  };

  private one(kind: keyof Firm['made'], target: number): string {
    const ids = this.made[kind];
    return ids[target % ids.length] ?? `${kind}_${'0'.repeat(32)}`;
  }

  private async make<Args extends unknown[], Command>(
    kind: keyof Firm['made'],
    command: Making<Args, Command>,
    handler: Carrying<Command>,
    ...args: Args
  ): Promise<string> {
    const id = await this.act(command, handler, ...args);
    this.made[kind].push(id);
    return id;
  }

  /** @returns the record's id */
  private async act<Args extends unknown[], Command>(
    command: Making<Args, Command>,
    handler: Carrying<Command>,
    ...args: Args
  ): Promise<string> {
    return (await new handler(this.store).execute(new command(this.context, ...args))).record.id;
  }
}

type Making<Args extends unknown[], Command> = new (context: RequestContext, ...args: Args) => Command;
type Carrying<Command> = new (
  store: EventStore,
) => { execute(command: Command): Promise<{ record: { id: string } }> };
