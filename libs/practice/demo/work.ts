import { newId } from '#kernel/ids';
import { decimal, text } from '#kernel/money';
import { TICKS_PER_MINUTE } from '#kernel/ticks';
import type { BillableDefinition, BillableState } from '../billable/billable';
import { finalised, unfinalise } from '../billable/billable.transitions';
import { CostRecovery, type CostRecoveryState, totalOf } from '../cost-recoveries/cost-recovery';
import type { CostRecoveryEvent, CostRecoveryFields } from '../cost-recoveries/cost-recovery.events';
import { noReference } from '../records/record';
import { WorkItem, type WorkItemState } from '../work-items/work-item';
import { ItemType, type WorkItemEvent, type WorkItemFields } from '../work-items/work-item.events';
import { priceWorkItem } from '../work-items/work-item.value';
import type { Calendar } from './calendar';
import { type Expense, money, type Office } from './demo-office';
import type { Start } from './demo-start';
import { Life } from './life';
import type { Engagement } from './matters';
import { FIXED_FEES, narration, OFFICE_TIME } from './narrations';
import type { Random } from './random';
import type { Earner } from './staff';

/** A work item or a cost recovery, with its events so far. */
export type Billed = Life<WorkItemState> | Life<CostRecoveryState>;

type Value = ReturnType<typeof priceWorkItem>;

/** In this many last days, some entries are not finalised yet. */
const UNFINISHED_DAYS = 15;
const MEDIAN_MINUTES = 18;
const LAST_MINUTE = 600;

/** Makes the entries that fee earners record on a day. */
export class Work {
  constructor(
    private readonly start: Start,
    private readonly office: Office,
    private readonly random: Random,
    private readonly calendar: Calendar,
  ) {}

  /** An entry on a matter. @param mayWait whether it may still be pending */
  onMatter(day: number, { id, team, department, minutesPerUnit }: Engagement, mayWait: boolean) {
    const { random } = this;
    const earner = random.chance(0.55) ? team[team.length - 1] : random.pick(team);
    const { taskTypes } = department;
    const taskType = taskTypes.length > 0 && random.chance(0.92) ? random.pick(taskTypes) : undefined;
    const common = { matterId: id, taskTypeId: taskType?.id ?? null, isBillable: !random.chance(0.07) };
    const item = random.chance(0.2)
      ? this.itemised(day, earner, minutesPerUnit, common)
      : this.timed(day, earner, minutesPerUnit, { ...common, title: narration(random) }, taskType);
    this.settle(item, WorkItem, mayWait && this.isUnfinished(day));
    return item;
  }

  /** Time without a matter, which nobody pays for. */
  inOffice(day: number, earner: Earner): Life<WorkItemState> {
    const { random, start } = this;
    const fields = { matterId: null, taskTypeId: null, isBillable: false, title: random.pick(OFFICE_TIME) };
    const item = this.timed(day, earner, start.settings.minutesPerUnit, fields, undefined);
    this.settle(item, WorkItem, this.isUnfinished(day));
    return item;
  }

  /** A cost on a matter. */
  cost(day: number, { id }: Engagement, mayWait: boolean): Life<CostRecoveryState> {
    const { random, office, calendar } = this;
    const { cost, codeId, code, supplierId } = random.weighted(
      office.expenses.map((expense): readonly [number, Expense] => [expense.cost.share, expense]),
    );
    const enteredAt = calendar.at(day, random.whole(0, LAST_MINUTE));
    const quantity = String(random.whole(...cost.quantity));
    const unitAmount = money(random.pick(cost.amounts), this.start);
    const fields: CostRecoveryFields = {
      matterId: id,
      disbursementCodeId: codeId,
      kind: cost.kind,
      entryDate: enteredAt.toISOString(),
      entryDay: calendar.days[day],
      quantity,
      unitAmount,
      total: totalOf(quantity, unitAmount),
      taxCodeId: code.taxCodeId,
      supplierId,
      description: code.description ?? code.name,
    };
    const created: CostRecoveryEvent = { type: 'CostRecoveryCreated', data: { ...fields, ...noReference } };
    const recovery = new Life(CostRecovery, newId('costrecovery'), enteredAt, created);
    this.settle(recovery, CostRecovery, mayWait && this.isUnfinished(day));
    return recovery;
  }

  private timed(
    day: number,
    earner: Earner,
    minutesPerUnit: string,
    fields: Pick<WorkItemFields, 'matterId' | 'taskTypeId' | 'isBillable' | 'title'>,
    taskType: Parameters<Earner['rate']>[2],
  ): Life<WorkItemState> {
    const { random, calendar, start } = this;
    // A few entries are notes of work that is not charged.
    const drawn = random.chance(0.005) ? 0 : Math.round(random.skewed(MEDIAN_MINUTES, 0.8));
    const minutes = Math.min(drawn, 420);
    const durationTicks = minutes * TICKS_PER_MINUTE;
    const { rate, rateSource } = earner.rate(day, calendar.days[day], taskType);
    const itemType = ItemType.Timed;
    const rounding = start.settings.unitRounding;
    const value = priceWorkItem({ itemType, durationTicks, units: null, minutesPerUnit, rounding, rate });
    const own = { ...fields, employeeId: earner.id, itemType, durationTicks, rateSource };
    return this.item(day, random.whole(0, LAST_MINUTE - minutes), minutes, own, value);
  }

  private itemised(
    day: number,
    earner: Earner,
    minutesPerUnit: string,
    fields: Pick<WorkItemFields, 'matterId' | 'taskTypeId' | 'isBillable'>,
  ): Life<WorkItemState> {
    const { random, start } = this;
    const units = random.chance(0.85) ? null : text(decimal(random.whole(2, 4)));
    const charge = { itemType: ItemType.Itemised, durationTicks: 0 };
    const rate = money(5 * random.whole(3, 60), start);
    const rounding = start.settings.unitRounding;
    const value = priceWorkItem({ ...charge, units, minutesPerUnit, rounding, rate });
    const title = random.pick(FIXED_FEES);
    const own = { ...fields, ...charge, employeeId: earner.id, rateSource: 'Request' as const, title };
    return this.item(day, random.whole(0, LAST_MINUTE), 0, own, value);
  }

  private item(
    day: number,
    minute: number,
    minutes: number,
    own: Omit<WorkItemFields, 'entryDate' | 'entryDay' | keyof Value>,
    value: Value,
  ): Life<WorkItemState> {
    const { calendar, random } = this;
    const entryDate = calendar.at(day, minute).toISOString();
    // `Object.assign`, because spreading so many fields into a literal is slow.
    const data = Object.assign({ entryDate, entryDay: calendar.days[day], ...noReference }, own, value);
    const created: WorkItemEvent = { type: 'WorkItemCreated', data };
    const recordedAt = calendar.at(day, minute + minutes + random.whole(0, 45));
    return new Life(WorkItem, newId('workitem'), recordedAt, created);
  }

  /**
   * Finalises an entry, unless it waits. Where the tenant finalises entries at once, one that waits was finalised and
   * unfinalised again.
   */
  private settle<State extends BillableState>(
    life: Life<State>,
    definition: BillableDefinition<State>,
    waits: boolean,
  ): void {
    if (waits && !this.start.settings.autoFinaliseWorkItems) return;
    life.live([finalised(definition, life.data)]);
    if (waits) life.live(unfinalise(definition, life.data));
  }

  private isUnfinished(day: number): boolean {
    return day > this.calendar.last - UNFINISHED_DAYS && this.random.chance(0.25);
  }
}
