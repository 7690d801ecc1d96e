import { daysAfter } from '#kernel/zone';
import type { SetClock } from '../../../test/support/set-clock';
import type { AnyBillable } from '../billable/billable';
import * as billable from '../billable/billable.commands';
import {
  FinaliseBillables,
  FinaliseBillablesHandler,
  type OutcomeView,
} from '../billable/billable.finalise-many';
import { CostRecovery } from '../cost-recoveries/cost-recovery';
import * as matter from '../matters/matter.commands';
import { WorkItem } from '../work-items/work-item';
import { BillingEntries } from './billing-entries';
import type { BillingFirm } from './billing-firm';
import { BillingInvoices } from './billing-invoices';
import type { BillingStep } from './billing-steps';
import { BillingWitness } from './billing-witness';
import { pence, zero } from './naive-money';
import { isReserved, type LedgerItem, type Refusals } from './naive-records';

/** Carries out a billing history both in the service and in a separate ledger. */
export class BillingLife {
  readonly witness: BillingWitness;
  private readonly entries: BillingEntries;
  private readonly invoices: BillingInvoices;

  constructor(
    private readonly firm: BillingFirm,
    clock: SetClock,
  ) {
    this.witness = new BillingWitness(firm, clock);
    this.entries = new BillingEntries(this.witness, firm);
    this.invoices = new BillingInvoices(this.witness, firm);
  }

  get books() {
    return this.invoices.books;
  }

  async live(step: BillingStep): Promise<void> {
    this.witness.pass(step.days);
    const { action } = step;
    const own = this.actions[action as keyof BillingLife['actions']];
    const entry = this.entries.actions[action as keyof BillingEntries['actions']];
    const billing = this.invoices.actions[action as keyof BillingInvoices['actions']];
    await (own ?? entry ?? billing)(step);
  }

  private readonly actions = {
    finalise: (step: BillingStep) =>
      this.change(
        step,
        this.witness.item(step, ({ state }) => state === 'Pending'),
        (id, definition) =>
          this.firm.act(billable.FinaliseBillable, billable.FinaliseBillableHandler, definition, id),
        (id) => this.witness.ledger.finalise(id),
      ),

    finaliseMany: async (step: BillingStep) => {
      const all = [...this.witness.ledger.items.keys()].filter((id) => id.startsWith('workitem_'));
      const ids = all.filter((_, index) => index % 2 === step.other % 2);
      if (ids.length === 0) return;
      const { outcome } = await this.firm.act(FinaliseBillables, FinaliseBillablesHandler, WorkItem, ids);
      for (const { id, code } of outcome as OutcomeView[])
        this.witness.agree(step, code === null ? { id } : { code }, this.witness.ledger.finalise(id));
    },

    unfinalise: (step: BillingStep) =>
      this.change(
        step,
        this.witness.item(step, (one) => one.state === 'Finalised' && !isReserved(one)),
        (id, definition) =>
          this.firm.act(billable.UnfinaliseBillable, billable.UnfinaliseBillableHandler, definition, id),
        (id) => this.witness.ledger.unfinalise(id),
      ),

    deleteItem: (step: BillingStep) =>
      this.change(
        step,
        this.witness.item(step, ({ state }) => state === 'Pending'),
        (id, definition) =>
          this.firm.act(billable.DeleteBillable, billable.DeleteBillableHandler, definition, id),
        (id) => this.witness.ledger.remove(id),
      ),

    writeOff: (step: BillingStep) => {
      const item = this.witness.item(
        step,
        (one) => one.state === 'Finalised' && !isReserved(one) && one.left.units.gt(0.0001),
      );
      const { way, share, crumb, other } = step;
      const later = daysAfter(this.witness.today, other);
      const day = other % 3 === 0 ? later : (step.day ?? undefined);
      const units = (item?.left.units ?? zero).mul(share).div(1000).toDP(4).toNumber();
      const amount = pence((item?.left.amount ?? zero).mul(share).div(1000))
        .add(crumb ? 0.001 : 0)
        .toNumber();
      const part = {
        ...((way.includes('units') || way === 'rate') && { units }),
        ...(way.includes('amount') && { amount }),
      };
      return this.change(
        step,
        item,
        (id, definition) =>
          this.firm.act(billable.WriteOffBillable, billable.WriteOffBillableHandler, definition, id, {
            reason: 'Goodwill',
            ...part,
            writeOffDate: day,
          }),
        (id) => this.witness.ledger.writeOff(id, { ...part, day }, this.witness.today),
      );
    },

    reinstate: (step: BillingStep) =>
      this.change(
        step,
        this.witness.item(
          step,
          ({ state, whole, left }) => state === 'WrittenOff' || !whole.amount.eq(left.amount),
        ),
        (id, definition) =>
          this.firm.act(billable.ReinstateBillable, billable.ReinstateBillableHandler, definition, id),
        (id) => this.witness.ledger.reinstate(id, this.witness.today),
      ),

    closeMatter: async (step: BillingStep) => {
      const id = this.witness.matterId(step);
      const answer = await this.witness.answer(
        this.firm.act(matter.CloseMatter, matter.CloseMatterHandler, id),
      );
      this.witness.agree(
        step,
        answer,
        this.witness.ledger.isClosed(id) ? [] : this.witness.ledger.closeMatter(id),
      );
    },

    reopenMatter: async (step: BillingStep) => {
      const id = this.witness.matterId({ ...step, suited: false });
      const answer = await this.witness.answer(
        this.firm.act(matter.ReopenMatter, matter.ReopenMatterHandler, id),
      );
      this.witness.agree(step, answer, this.witness.ledger.reopenMatter(id));
    },
  };

  private async change(
    step: BillingStep,
    item: LedgerItem | undefined,
    ask: (id: string, definition: AnyBillable) => Promise<{ record: { id: string } }>,
    write: (id: string) => Refusals,
  ): Promise<void> {
    if (!item) return;
    const definition = item.employeeId === null ? CostRecovery : WorkItem;
    this.witness.agree(step, await this.witness.answer(ask(item.id, definition)), write(item.id));
  }
}
