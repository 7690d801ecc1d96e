import type { EventStore } from '#event-store/event-store';
import type { RequestContext } from '#platform/request-context';
import * as billable from '../billable/billable.commands';
import { WorkItem } from '../work-items/work-item';
import * as workItem from '../work-items/work-item.commands';

/** Carries out a command of a firm's life. */
export type Do = <Args extends unknown[], Command, Result>(
  command: new (context: RequestContext, ...args: Args) => Command,
  handler: new (store: EventStore) => { execute(command: Command): Promise<Result> },
  ...args: Args
) => Promise<Result>;

const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });

interface WorkParts {
  matterId: string;
  otherMatterId: string;
  employeeId: string;
  colleagueId: string;
  taskTypeId: string;
}

/** Causes every type of event of work items, except those that invoices cause. */
export async function liveWork(
  act: Do,
  { matterId, otherMatterId, employeeId, colleagueId, taskTypeId }: WorkParts,
): Promise<void> {
  const timed = {
    employeeId,
    itemType: 0 as const,
    entryDate: '2025-06-12T10:00:00.000Z',
    durationTicks: 36_000_000_000,
  };
  const full = {
    ...timed,
    matterId,
    taskTypeId,
    units: 7,
    rate: gbp(180),
    title: 'Advice',
    isBillable: true,
  };
  const record = async (body: typeof timed) =>
    (await act(workItem.RecordWorkItem, workItem.RecordWorkItemHandler, body)).record.id;
  const item = await record({ ...full, externalReference: 'W1' } as typeof timed);
  const office = await record(timed);
  for (const id of [item, office])
    await act(billable.UnfinaliseBillable, billable.UnfinaliseBillableHandler, WorkItem, id);
  await act(workItem.UpdateWorkItem, workItem.UpdateWorkItemHandler, office, {
    matterId,
    employeeId: colleagueId,
    taskTypeId,
    itemType: 1,
    entryDate: '2025-06-14T10:00:00.000Z',
    durationTicks: 0,
    units: 2,
    rate: gbp(80),
    title: 'Search fee',
    isBillable: false,
    externalReference: 'W2',
  });
  for (const id of [item, office]) {
    await act(billable.FinaliseBillable, billable.FinaliseBillableHandler, WorkItem, id);
    await act(billable.WriteOffBillable, billable.WriteOffBillableHandler, WorkItem, id, {
      reason: 'Goodwill',
      units: 1,
    });
    await act(billable.ReinstateBillable, billable.ReinstateBillableHandler, WorkItem, id);
  }
  await act(billable.UnfinaliseBillable, billable.UnfinaliseBillableHandler, WorkItem, office);
  await act(workItem.UpdateWorkItem, workItem.UpdateWorkItemHandler, office, { matterId: otherMatterId });
  await act(billable.DeleteBillable, billable.DeleteBillableHandler, WorkItem, office);
}
