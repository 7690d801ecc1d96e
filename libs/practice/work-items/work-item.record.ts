import { at, via } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { invalid } from '#kernel/errors';
import { newId } from '#kernel/ids';
import { decimal, type Money, moneyFrom, text } from '#kernel/money';
import { dayIn } from '#kernel/zone';
import { Client } from '../clients/client.lookup';
import { activeEmployee, Employee } from '../employees/employee.lookup';
import { Matter, openMatter } from '../matters/matter.lookup';
import { existing, givenReference, recordChanges } from '../records/record';
import { settings, settingsOf } from '../tenants/tenant.lookup';
import { finalised, requirePending, WorkItem, type WorkItemState, WorkItemStatus } from './work-item';
import { ItemType, type WorkItemEvent } from './work-item.events';
import type { WorkItemInput, WorkItemPatch } from './work-item.input';
import { priceWorkItem } from './work-item.value';

/** Records an entry of time or a fee, finalised at once where the tenant wants that. */
export async function recordWorkItem(work: UnitOfWork, body: WorkItemInput) {
  const { context } = work;
  const found = await work.load({
    settings: settingsOf(context),
    matter: at(Matter, body.matterId),
    client: via(Client, body.matterId, 'clientId'),
    employee: at(Employee, body.employeeId),
  });
  const tenant = settings(found.settings);
  const employee = activeEmployee(found.employee, 'employeeId');
  const matter = body.matterId ? openMatter(found.matter, 'matterId') : undefined;
  refuseTaskType(body.taskTypeId);
  const { itemType, entryDate, durationTicks } = body;
  requireTicks(itemType, durationTicks);
  const fields = {
    matterId: body.matterId ?? null,
    employeeId: body.employeeId,
    itemType,
    entryDate,
    entryDay: dayIn(tenant.timeZone, entryDate),
    durationTicks: durationTicks ?? 0,
    title: body.title ?? null,
    isBillable: body.isBillable ?? true,
    ...priceWorkItem({
      itemType,
      durationTicks: durationTicks ?? 0,
      units: unitsFrom(body.units),
      minutesPerUnit:
        matter?.data.minutesPerUnit ?? found.client?.data.minutesPerUnit ?? tenant.minutesPerUnit,
      rounding: tenant.unitRounding,
      rate: rateFrom(body.rate),
      employeeRate: employee.data.defaultRate,
      currency: tenant.currency,
    }),
    ...givenReference(context, body.externalReference),
  };
  const created: WorkItemEvent = { type: 'WorkItemCreated', data: fields };
  return work.create(
    WorkItem,
    newId('workitem'),
    tenant.autoFinaliseWorkItems ? [created, finalised(fields)] : [created],
  );
}

/** Changes a pending item; its title also later, until it is billed. Its value is worked out again. */
export async function changeWorkItem(work: UnitOfWork, id: string, body: WorkItemPatch) {
  const { context } = work;
  const before = existing((await work.load({ item: at(WorkItem, id) })).item, 'workitem');
  const { data } = before;
  const { units, rate, taskTypeId, ...own } = body;
  const changes: Partial<WorkItemState> = recordChanges(context, data, own, {
    durationTicks: 0,
    isBillable: true,
  });
  const valued = units !== undefined || rate !== undefined;
  const onlyTitle = !valued && Object.keys(changes).every((name) => name === 'title');
  if (!onlyTitle || data.state === WorkItemStatus.Billed) {
    if (valued || Object.keys(changes).length > 0) requirePending(data);
  }
  refuseTaskType(taskTypeId);
  if (!onlyTitle) Object.assign(changes, await revalued(work, data, body, changes));
  const events: WorkItemEvent[] =
    Object.keys(changes).length === 0 ? [] : [{ type: 'WorkItemUpdated', data: changes }];
  return work.change(WorkItem, before, events);
}

/** Day, units, rate and total of an item after its changes; only what differs. */
async function revalued(
  work: UnitOfWork,
  data: WorkItemState,
  body: WorkItemPatch,
  changes: Partial<WorkItemState>,
) {
  const next = { ...data, ...changes };
  const found = await work.load({
    settings: settingsOf(work.context),
    matter: at(Matter, next.matterId),
    client: via(Client, next.matterId, 'clientId'),
    employee: at(Employee, next.employeeId),
  });
  const tenant = settings(found.settings);
  // Only the references that change are checked; the others were when they were given.
  if (changes.employeeId !== undefined) activeEmployee(found.employee, 'employeeId');
  if (changes.matterId) openMatter(found.matter, 'matterId');
  if (body.itemType !== undefined || body.durationTicks !== undefined) {
    requireTicks(next.itemType, body.durationTicks === undefined ? data.durationTicks : body.durationTicks);
  }
  const keptRate = data.rateSource === 'Request' ? data.rate : null;
  const movedMatter = changes.matterId !== undefined;
  const value = priceWorkItem({
    itemType: next.itemType,
    durationTicks: next.durationTicks,
    units: body.units !== undefined ? unitsFrom(body.units) : data.unitsOverridden ? data.units : null,
    minutesPerUnit: movedMatter
      ? (found.matter?.data.minutesPerUnit ?? found.client?.data.minutesPerUnit ?? tenant.minutesPerUnit)
      : data.minutesPerUnit,
    rounding: tenant.unitRounding,
    rate: body.rate !== undefined ? rateFrom(body.rate) : keptRate,
    employeeRate:
      changes.employeeId === undefined && data.rateSource === 'EmployeeDefault' && body.rate === undefined
        ? data.rate
        : (found.employee?.data.defaultRate ?? null),
    currency: tenant.currency,
  });
  const derived = { entryDay: dayIn(tenant.timeZone, next.entryDate), ...value };
  return Object.fromEntries(
    Object.entries(derived).filter(
      ([name, now]) => JSON.stringify(data[name as keyof WorkItemState]) !== JSON.stringify(now),
    ),
  );
}

function unitsFrom(units: number | null | undefined): string | null {
  return units === null || units === undefined ? null : text(decimal(units));
}

function rateFrom(rate: { Amount: number; Currency: string } | null | undefined): Money | null {
  return rate ? moneyFrom(rate) : null;
}

function requireTicks(itemType: ItemType, ticks: number | null | undefined): void {
  if (itemType === ItemType.Timed && (ticks === null || ticks === undefined)) {
    throw invalid('required', 'durationTicks is required for a timed fee', 'durationTicks');
  }
}

/** The tenant has no task types yet: no id of one can be right. */
function refuseTaskType(taskTypeId: string | null | undefined): void {
  if (taskTypeId) throw invalid('tasktype_not_found', 'taskTypeId: there is no such tasktype.', 'taskTypeId');
}
