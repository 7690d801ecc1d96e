import { at, via } from '#event-store/load';
import type { Answers, UnitOfWork } from '#event-store/unit-of-work';
import { invalid } from '#kernel/errors';
import { newId } from '#kernel/ids';
import { type Money, moneyFrom, numberGiven } from '#kernel/money';
import { dayIn } from '#kernel/zone';
import type { RateInput } from '#platform/http/input/fields';
import type { RequestContext } from '#platform/request-context';
import { rateNotFound, rateQuestions, resolveFor, type WorkToRate } from '../applicable-rates/rate.lookup';
import { becomesUnbilled, requireChangeable } from '../billable/billable';
import { finalised } from '../billable/billable.transitions';
import { Client } from '../clients/client.lookup';
import { Employee } from '../employees/employee.lookup';
import { Matter, openMatter, requireOpen } from '../matters/matter.lookup';
import { loadAddressed } from '../records/addressed-record';
import { completed } from '../records/merge-patch';
import { active, changesOf, givenReference, recordChanges } from '../records/record';
import { TaskType } from '../task-types/task-type.lookup';
import { requireBaseCurrency, settings, settingsOf, type TenantState } from '../tenants/tenant.lookup';
import { WorkItem, type WorkItemState } from './work-item';
import { ItemType, type WorkItemEvent, type WorkItemFields } from './work-item.events';
import type { WorkItemInput, WorkItemPatch } from './work-item.input';
import { priceWorkItem, requireChargeable } from './work-item.value';

type References = Pick<WorkItemFields, 'matterId' | 'employeeId' | 'taskTypeId'>;
type Rated = Pick<WorkItemFields, 'rate' | 'rateSource'>;

/** Records an entry of time or a fee. It is finalised at once if the tenant's settings say so. */
export async function recordWorkItem(work: UnitOfWork, body: WorkItemInput) {
  const { context } = work;
  const { itemType, entryDate, employeeId, matterId = null, taskTypeId = null } = body;
  const found = await work.load(questions(context, { matterId, employeeId, taskTypeId }, !body.rate));
  const tenant = settings(found.settings);
  const employee = active(found.employee, 'employee', 'employeeId');
  const matter = matterId ? openMatter(found.matter, 'matterId') : undefined;
  const taskType = taskTypeId ? active(found.taskType, 'tasktype', 'taskTypeId') : undefined;
  requireTicks(itemType, body.durationTicks);
  const durationTicks = body.durationTicks ?? 0;
  const entryDay = dayIn(tenant.timeZone, entryDate);
  const { currency } = tenant;
  const { rate, rateSource } = body.rate
    ? rateGiven(body.rate, tenant)
    : rateFound({ itemType, day: entryDay, currency, matter, employee, taskType }, found);
  const value = priceWorkItem({
    itemType,
    durationTicks,
    rate,
    rounding: tenant.unitRounding,
    units: numberGiven(body.units),
    minutesPerUnit: unitLength(found, tenant),
  });
  requireChargeable(value);
  const fields = {
    matterId,
    employeeId,
    taskTypeId,
    itemType,
    entryDate,
    entryDay,
    durationTicks,
    title: body.title ?? taskType?.data.narration ?? null,
    isBillable: body.isBillable ?? taskType?.data.isBillable ?? true,
    rateSource,
    ...value,
    ...givenReference(context, body.externalReference),
  };
  const created: WorkItemEvent = { type: 'WorkItemCreated', data: fields };
  const state = WorkItem.evolve(undefined, created);
  return work.create(
    WorkItem,
    newId('workitem'),
    tenant.autoFinaliseWorkItems ? [created, finalised(WorkItem, state)] : [created],
  );
}

/** Changes a pending item and computes its value again. The title can change until the item is billed. */
export async function changeWorkItem(work: UnitOfWork, id: string, asked: WorkItemPatch) {
  const { context } = work;
  const before = await loadAddressed(work, WorkItem, id);
  const { data } = before;
  const body = withoutRepeats(data, completed<WorkItemInput>(asked, data));
  const { units, rate, ...own } = body;
  const patch = { ...own, isBillable: own.isBillable ?? undefined };
  const changes: Partial<WorkItemState> = recordChanges(context, data, patch, { durationTicks: 0 });
  const valued = units !== undefined || rate !== undefined || own.isBillable === null;
  const names = [...Object.keys(changes), ...(valued ? ['total'] : [])];
  requireChangeable(WorkItem, data, names, 'title');
  if (names.some((name) => name !== 'title'))
    Object.assign(changes, await revalued(work, data, body, changes));
  const events: WorkItemEvent[] =
    Object.keys(changes).length === 0 ? [] : [{ type: 'WorkItemUpdated', data: changes }];
  return work.change(WorkItem, before, events);
}

/** The fields that a rate depends on, beside the day. If one of them changes, a resolved rate is resolved again. */
const RATED_BY = ['matterId', 'employeeId', 'taskTypeId', 'itemType'] as const;
/**
 * The fields that derived units depend on. Unless one of them changes, the units stay, even if the tenant's settings
 * for units have changed meanwhile.
 */
const COUNTED_BY = ['matterId', 'itemType', 'durationTicks'] as const;
const VALUED_BY = [...RATED_BY, 'entryDate', 'durationTicks'] as const;

/**
 * Removes units and rate from a patch if they equal those of the item, as when a client sends back what GET showed. If
 * the patch also changes a field from which they are derived, they are intentional, and stay.
 */
function withoutRepeats(data: WorkItemState, patch: Partial<WorkItemInput>): Partial<WorkItemInput> {
  const { units, rate, ...others } = patch;
  const changes = changesOf(data, others, { durationTicks: 0 });
  if (VALUED_BY.some((name) => changes[name] !== undefined)) return patch;
  return {
    ...others,
    ...(units !== undefined && numberGiven(units) !== data.units && { units }),
    ...(rate !== undefined && (rate === null || isOther(data.rate, rate)) && { rate }),
  };
}

function isOther({ amount, currency }: Money, rate: RateInput): boolean {
  const given = moneyFrom(rate);
  return given.amount !== amount || given.currency !== currency;
}

/** The day, units, rate and total of an item after its changes; only those that differ. */
async function revalued(
  work: UnitOfWork,
  data: WorkItemState,
  body: Partial<WorkItemInput>,
  changes: Partial<WorkItemState>,
) {
  const next = { ...data, ...changes };
  const isFound = body.rate === undefined && data.rateSource !== 'Request';
  const moved = isFound && RATED_BY.some((name) => changes[name] !== undefined);
  const redated = isFound && changes.entryDate !== undefined;
  const found = await work.load(questions(work.context, next, body.rate === null || moved || redated));
  const tenant = settings(found.settings);
  // Only references that change are checked: the others were checked when they were set.
  const employee = changes.employeeId ? active(found.employee, 'employee', 'employeeId') : found.employee!;
  if (changes.matterId) openMatter(found.matter, 'matterId');
  if (changes.taskTypeId) active(found.taskType, 'tasktype', 'taskTypeId');
  const { itemType, durationTicks } = next;
  if (body.itemType !== undefined || body.durationTicks !== undefined)
    requireTicks(itemType, body.durationTicks === undefined ? data.durationTicks : body.durationTicks);
  const entryDay = dayIn(tenant.timeZone, next.entryDate);
  const { matter, taskType } = found;
  const { currency } = tenant;
  const sought = body.rate === null || moved || (redated && entryDay !== data.entryDay);
  const kept = { rate: data.rate, rateSource: data.rateSource };
  const given = body.rate ? rateGiven(body.rate, tenant) : kept;
  const item = { itemType, day: entryDay, currency, matter, employee, taskType };
  const { rate, rateSource } = sought ? rateFound(item, found) : given;
  const recounted = !data.unitsOverridden && COUNTED_BY.some((name) => changes[name] !== undefined);
  const keepsUnits = body.units === undefined && !recounted;
  const value = priceWorkItem({
    itemType,
    durationTicks,
    rate,
    rounding: tenant.unitRounding,
    units: keepsUnits ? data.units : numberGiven(body.units),
    minutesPerUnit: changes.matterId !== undefined ? unitLength(found, tenant) : data.minutesPerUnit,
  });
  requireChargeable(value);
  const derived = {
    entryDay,
    rateSource,
    ...value,
    ...(keepsUnits && { unitsOverridden: data.unitsOverridden }),
    ...(body.isBillable === null && { isBillable: taskType?.data.isBillable ?? true }),
  };
  const revaluation = changesOf(data, derived);
  const updated = { type: 'WorkItemUpdated', data: { ...changes, ...revaluation } };
  if (becomesUnbilled(WorkItem, data, updated) && !changes.matterId) requireOpen(matter);
  return revaluation;
}

/** Questions for all records that an item refers to. @param rate whether to ask for the sources of its rate, too */
function questions(context: RequestContext, { matterId, employeeId, taskTypeId }: References, rate: boolean) {
  return {
    settings: settingsOf(context),
    matter: at(Matter, matterId),
    client: via(Client, matterId, 'clientId'),
    employee: at(Employee, employeeId),
    taskType: at(TaskType, taskTypeId),
    ...rateQuestions(rate ? { matterId, employeeId } : null),
  };
}

type Found = Answers<ReturnType<typeof questions>>;

function unitLength({ matter, client }: Found, { minutesPerUnit }: TenantState): string {
  return matter?.data.minutesPerUnit ?? client?.data.minutesPerUnit ?? minutesPerUnit;
}

function rateGiven(given: { Amount: number; Currency: string }, tenant: TenantState): Rated {
  const rate: Money = moneyFrom(given);
  requireBaseCurrency(rate.currency, tenant, 'rate/Currency');
  return { rate, rateSource: 'Request' };
}

/** Resolves the rate of an item. @throws DomainError `rate_not_found` (422), which lists the levels that were tried */
function rateFound(item: WorkToRate, found: Found): Rated {
  const resolved = resolveFor(item, found);
  if (!resolved.rate || !resolved.source) throw rateNotFound(resolved);
  return { rate: resolved.rate, rateSource: resolved.source };
}

function requireTicks(itemType: ItemType, ticks: number | null | undefined): void {
  if (itemType === ItemType.Timed && (ticks === null || ticks === undefined)) {
    throw invalid('required', 'durationTicks is required for a timed fee', 'durationTicks');
  }
}
