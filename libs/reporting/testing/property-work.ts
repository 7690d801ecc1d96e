import { DateTime } from 'luxon';
import type { NewStream } from '#event-store/append/append-bulk';
import { DomainError } from '#kernel/errors';
import type { Id } from '#kernel/ids';
import { decimal, text } from '#kernel/money';
import { dayIn } from '#kernel/zone';
import { bill, release, reserve, reverseBilling } from '#practice/billable/billable.billing';
import { finalise, reinstate, remove, unfinalise } from '#practice/billable/billable.transitions';
import { writeOff } from '#practice/billable/billable.write-off';
import { Life } from '#practice/demo/life';
import { noReference } from '#practice/records/record';
import { WorkItem, type WorkItemState } from '#practice/work-items/work-item';
import type { WorkItemEvent, WorkItemFields } from '#practice/work-items/work-item.events';
import type { ItemDraw, ItemFields, Moment, Step } from './property-draws';

/** The records that work refers to. */
export interface References {
  zone: string;
  currency: string;
  employees: Id[];
  matters: Id[];
  taskTypes: Id[];
  invoices: Id[];
}

export function instantOf({ day, milliseconds }: Moment, zone: string): Date {
  const start = DateTime.fromISO(day, { zone }).startOf('day');
  return start.plus({ milliseconds }).toJSDate();
}

/** A work item and its life according to its deciders. A step that they refuse is skipped. */
export function workStream(id: Id, draw: ItemDraw, references: References): NewStream {
  const { zone } = references;
  const currency = draw.foreign ? 'EUR' : references.currency;
  const data = { ...fieldsOf(draw, currency, references), ...noReference };
  const created: WorkItemEvent = { type: 'WorkItemCreated', data };
  const life = new Life(WorkItem, id, instantOf(draw.createdAt, zone), created);
  for (const step of draw.steps) {
    try {
      life.live(eventsOf(step, life.data, references));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }
  return life.stream();
}

function fieldsOf(draw: ItemFields, currency: string, references: References): WorkItemFields {
  const { at, ticks, itemType, units, minutesPerUnit, total, title, isBillable } = draw;
  const instant = instantOf(at, references.zone);
  const one = (ids: Id[], index: number | null) => (index === null ? null : ids[index % ids.length]);
  return {
    matterId: one(references.matters, draw.matter),
    taskTypeId: one(references.taskTypes, draw.taskType),
    employeeId: one(references.employees, draw.employee)!,
    itemType,
    durationTicks: ticks,
    entryDate: instant.toISOString(),
    entryDay: dayIn(references.zone, instant),
    units,
    unitsOverridden: true,
    minutesPerUnit,
    rate: { amount: draw.rate, currency },
    rateSource: 'Request',
    total,
    title,
    isBillable,
  };
}

function eventsOf({ kind, pick, share, item }: Step, state: WorkItemState, references: References) {
  const { day } = item.at;
  const part = (whole: string) => text(decimal(whole).mul(share).div(1000).toDecimalPlaces(4));
  const invoiceId = references.invoices[pick % references.invoices.length];
  if (state.isDeleted) return [];
  switch (kind) {
    case 'finalise':
      return finalise(WorkItem, state);
    case 'unfinalise':
      return unfinalise(WorkItem, state);
    case 'reinstate':
      return reinstate(WorkItem, state, day);
    case 'delete':
      return remove(WorkItem, state);
    case 'reserve':
      return reserve(WorkItem, state, invoiceId);
    case 'writeOff': {
      const units = pick % 3 === 0 ? part(state.remainingUnits) : null;
      const amount = pick % 3 === 1 ? text(decimal(part(state.remaining)).toDecimalPlaces(2)) : null;
      return writeOff(WorkItem, state, { day, reason: 'Goodwill', units, amount });
    }
    case 'release':
      return state.invoiceId && state.state === 1 ? release(WorkItem, state, state.invoiceId) : [];
    case 'bill': {
      const reserved = state.invoiceId ? [] : reserve(WorkItem, state, invoiceId);
      if (state.state !== 1) return [];
      const held = { ...state, invoiceId: state.invoiceId ?? invoiceId };
      const charged = { amount: part(state.remaining), units: part(state.remainingUnits) };
      return [...reserved, ...bill(WorkItem, held, held.invoiceId, day, charged)];
    }
    case 'reverse':
      return state.settlement ? reverseBilling(WorkItem, state, state.invoiceId!, day, pick % 2 === 0) : [];
    case 'edit':
      return edited(pick, state, item, references);
  }
}

/** Changes some fields of a pending item. */
function edited(
  pick: number,
  state: WorkItemState,
  item: ItemFields,
  references: References,
): WorkItemEvent[] {
  if (state.state !== 0) return [];
  const { currency } = state.rate;
  const after = fieldsOf(item, currency, references);
  const { employeeId, matterId, taskTypeId, entryDate, entryDay, units, total, isBillable, itemType } = after;
  const changes: Partial<WorkItemFields>[] = [
    { employeeId },
    { matterId, taskTypeId },
    { entryDate, entryDay },
    { units, total },
    { total },
    { isBillable, itemType },
  ];
  const [first, second] = [changes[pick % changes.length], changes[Math.floor(pick / 7) % changes.length]];
  return [{ type: 'WorkItemUpdated', data: { ...first, ...second } }];
}
