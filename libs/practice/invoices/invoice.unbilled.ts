import type { Folded } from '#event-store/events';
import { linkedTo } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import type { Day } from '#kernel/zone';
import { type BillableState, BillableStatus } from '../billable/billable';
import { CostRecovery } from '../cost-recoveries/cost-recovery.lookup';
import { UNBILLED_COST, UNBILLED_WORK } from '../matters/matter.lookup';
import { WorkItem } from '../work-items/work-item.lookup';
import type { InvoiceState } from './invoice';
import type { LineInput } from './invoice.input';
import { isCost, isWork } from './invoice.sources';

/** The unbilled records of the invoice's matter that no line of the request names, in the order of their entry. */
export async function unbilled(
  work: UnitOfWork,
  { matterId }: InvoiceState,
  until: Day,
  named: readonly string[],
): Promise<Folded<BillableState>[]> {
  const { items, costs } = await work.load({
    items: linkedTo(WorkItem, matterId, [UNBILLED_WORK]),
    costs: linkedTo(CostRecovery, matterId, [UNBILLED_COST]),
  });
  return [...items, ...costs]
    .filter(
      ({ id, data }) =>
        data.state === BillableStatus.Finalised &&
        data.invoiceId === null &&
        data.entryDay <= until &&
        !named.includes(id),
    )
    .sort((one, other) => `${one.data.entryDay}${one.id}`.localeCompare(`${other.data.entryDay}${other.id}`));
}

/** The line that charges all that remains of a record. */
export function lineOf(source: Folded<BillableState>): LineInput {
  const isBought = isCost(source) && source.data.kind === 'Incurred';
  const kind = isWork(source) ? 'Fee' : isBought ? 'Disbursement' : 'CostRecovery';
  return { kind, sourceId: source.id };
}
