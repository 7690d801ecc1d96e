import type { RecordedEvent } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { type NaiveEvent, naiveFacts, naiveRecords } from '#practice/testing/naive-fold';
import { ITEM_TYPES, STATES } from './naive-columns';
import { exact, type NaiveRow, type NaiveValue, ratioOf } from './naive-values';

/** All rows of both reports. */
export interface NaiveRows {
  work_item_listing: NaiveRow[];
  fee_analysis: NaiveRow[];
}

type Fields = Record<string, string | null>;

/** The rows of both reports, computed from a tenant's events alone. @param financialYearStart month, from 1 */
export function naiveRows(recorded: readonly RecordedEvent[], financialYearStart: number): NaiveRows {
  const events = recorded.map(plain);
  const records = lastFields(events);
  const of = (id: unknown): Fields | undefined => (id ? records.get(uuid(id)) : undefined);
  const nameOf = (entityId: string | null | undefined) => {
    const person = of(entityId);
    if (!person) return null;
    return person.name ?? [person.lastName, person.firstName].filter(Boolean).join(', ');
  };
  const about = (matterId: unknown, employeeId: unknown, taskTypeId: unknown) => {
    const [matter, taskType] = [of(matterId), of(taskTypeId)];
    return {
      matterId: hex(matterId),
      clientId: hex(matter?.clientId),
      divisionId: hex(matter?.divisionId),
      matterNumber: matter?.matterNumber ?? null,
      matterTitle: matter?.title ?? null,
      clientSortName: nameOf(of(matter?.clientId)?.entityId),
      divisionName: of(matter?.divisionId)?.name ?? null,
      matterTypeName: of(matter?.matterTypeId)?.name ?? null,
      taskTypeName: taskType?.name ?? null,
      taskTypeCode: taskType?.code ?? null,
      employee: hex(employeeId),
      employeeName: nameOf(of(employeeId)?.entityId),
    };
  };
  const items = naiveRecords('WorkItem', events).map((row): NaiveRow => {
    const { task_type_id: _, state, ...kept } = row;
    const given = state as Fields;
    const { employee, employeeName, ...named } = about(row.matter_id, row.employee_id, given.taskTypeId);
    const { day, ...periods } = periodsOf(kept.entry_day as string, financialYearStart);
    const entry = Object.entries(periods).map(([name, value]) => [
      `entry${name[0].toUpperCase()}${name.slice(1)}`,
      value,
    ]);
    return {
      ...named,
      employeeId: employee,
      employeeSortName: employeeName,
      entryDay: day,
      ...(Object.fromEntries(entry) as Record<string, NaiveValue>),
      id: hex(row.id),
      tie: hex(row.id)!,
      entryDate: instant(row.entry_date),
      createdOn: instant(row.created_on),
      state: STATES[row.item_state as number],
      itemType: ITEM_TYPES[row.item_type as number],
      invoiceNumber: of(row.invoice_id)?.number ?? null,
      title: given.title,
      currency: row.currency as string,
      rate: number(row.rate),
      units: number(row.units),
      total: number(row.total),
      unitDuration: number(row.units).mul(number(row.unit_minutes)),
      totalBase: number(row.total_base),
      remaining: number(row.remaining),
      durationTicks: number(row.duration_ticks),
      isBillable: row.is_billable as boolean,
      isDeleted: row.is_deleted as boolean,
    };
  });
  const facts = naiveFacts(events).map((row): NaiveRow => {
    const { employee, employeeName, ...named } = about(row.matter_id, row.employee_id, row.task_type_id);
    const flows = [row.billed, row.written_off, row.written_up].map(number);
    return {
      ...named,
      feeEarnerId: employee,
      feeEarnerSortName: employeeName,
      ...periodsOf(row.day as string, financialYearStart),
      tie: `${hex(row.id)}${row.part}`,
      currency: row.currency as string,
      workItemFinalised: number(row.finalised),
      workItemFinalisedUnits: number(row.finalised_units),
      workItemBilled: flows[0],
      workItemBilledUnits: number(row.billed_units),
      workItemWrittenOff: flows[1],
      workItemWrittenOffUnits: number(row.written_off_units),
      workItemWrittenUp: flows[2],
      workItemWrittenUpUnits: number(row.written_up_units),
      realisationRate: ratioOf(flows),
    };
  });
  return { work_item_listing: items, fee_analysis: facts };
}

const uuid = (id: unknown) => (String(id).includes('_') ? toUuid(String(id)) : String(id));
const hex = (id: unknown) => (id ? uuid(id).replaceAll('-', '') : null);
const number = (value: unknown) => exact(value as string);
const instant = (value: unknown) => new Date(value as string).toISOString().replace('Z', '+00:00');

function plain({
  tenantId,
  streamId,
  version,
  eventId,
  event,
  metadata,
  recordedAt,
  at,
}: RecordedEvent): NaiveEvent {
  return {
    tenant: String(tenantId),
    stream: streamId,
    version,
    type: event.type,
    data: event.data,
    id: eventId,
    by: metadata.actor,
    on: recordedAt.toISOString(),
    at: [String(at.epoch), String(at.transactionId), String(at.position)],
  };
}

/** The last value of each field of every record, which is all that names depend on. */
function lastFields(events: readonly NaiveEvent[]): Map<string, Fields> {
  const records = new Map<string, Fields>();
  for (const { stream, data } of events) records.set(stream, { ...records.get(stream), ...data });
  return records;
}

function periodsOf(day: string, start: number): Record<string, NaiveValue> {
  const [year, month] = day.split('-').map(Number);
  const first = month >= start ? year : year - 1;
  const last = String((first + 1) % 100).padStart(2, '0');
  return {
    day,
    month: day.slice(0, 7),
    quarter: `${day.slice(0, 4)}-Q${Math.ceil(month / 3)}`,
    year: exact(year),
    financialYear: start === 1 ? String(first) : `${first}/${last}`,
  };
}
