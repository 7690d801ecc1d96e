import type { PermissionName } from '#platform/auth/permissions';
import { applicableRates } from '#practice/applicable-rates/applicable-rate.queries';
import { definitions } from '#practice/areas';
import { clients } from '#practice/clients/client.queries';
import { costRecoveries } from '#practice/cost-recoveries/cost-recovery.queries';
import { disbursementCodes } from '#practice/disbursement-codes/disbursement-code.queries';
import { divisions } from '#practice/divisions/division.queries';
import { documentCollections } from '#practice/document-collections/document-collection.queries';
import { documents } from '#practice/documents/document.queries';
import { employees } from '#practice/employees/employee.queries';
import { entities } from '#practice/entities/entity.queries';
import { invoices } from '#practice/invoices/invoice.queries';
import { matterTypes } from '#practice/matter-types/matter-type.queries';
import { matters } from '#practice/matters/matter.queries';
import { rateSets } from '#practice/rate-sets/rate-set.queries';
import type { AnyList } from '#practice/records/record-list';
import { roles } from '#practice/roles/role.queries';
import { suppliers } from '#practice/suppliers/supplier.queries';
import { taskTypes } from '#practice/task-types/task-type.queries';
import { taxCodes } from '#practice/tax-codes/tax-code.queries';
import { tenants } from '#practice/tenants/tenant.queries';
import { workItems } from '#practice/work-items/work-item.queries';
import { nameOfEvent, ownName, qualifiedName } from '../protocol/event-names';

/** The records that messages are about, by the area that they are read from. */
export const recordLists: Record<string, AnyList> = {
  entities,
  clients,
  employees,
  roles,
  suppliers,
  divisions,
  mattertypes: matterTypes,
  tasktypes: taskTypes,
  matters,
  workitems: workItems,
  invoices,
  costrecoveries: costRecoveries,
  disbursementcodes: disbursementCodes,
  taxcodes: taxCodes,
  ratesets: rateSets,
  applicablerates: applicableRates,
  documents,
  documentcollections: documentCollections,
  tenants,
};

const areaOfKind = new Map(Object.entries(recordLists).map(([area, { kind }]) => [kind as string, area]));
const listOfKind = new Map(Object.values(recordLists).map((list) => [list.kind as string, list]));

/** A kind of message that can be subscribed to. */
export interface EventName {
  /** `matter.created` */
  name: string;
  /** The name by which existing clients know it; undefined where they do not. */
  qualified: string | undefined;
  /** Kind of the record that it is about. */
  kind: string;
  /** The permission that an integration needs to be sent the event. */
  permission: PermissionName;
}

/** The list by which records of a kind are read. */
export function listOf(kind: string): AnyList {
  return listOfKind.get(kind)!;
}

/** The area that records of a kind are read from. */
export function areaOf(kind: string): string {
  return areaOfKind.get(kind) ?? 'webhooks';
}

function entry(name: string, kind: string): EventName {
  const permission = `${areaOf(kind)}:read` as PermissionName;
  return { name, qualified: qualifiedName(name), kind, permission };
}

/** Events of a tenant itself are its operator's business and sent to nobody, except this one. */
export const importPromoted = entry('import.promoted', 'tenant');

/** Keyed by the type of the domain event. */
const byType = new Map<string, EventName>([
  ['ImportPromoted', importPromoted],
  ...definitions
    .filter(({ kind }) => areaOfKind.has(kind) && kind !== 'tenant')
    .flatMap(({ kind, events }) =>
      Object.keys(events).map((type) => [type, entry(nameOfEvent(kind, type), kind)] as const),
    ),
]);

/** Messages about webhooks themselves. */
export const notices = {
  test: entry('webhook.test', 'webhook'),
  failing: entry('webhook.failing', 'webhook'),
  disabled: entry('webhook.disabled', 'webhook'),
};

/** All events, in the order of their names. */
export const eventNames: readonly EventName[] = [...byType.values(), ...Object.values(notices)].sort(
  (a, b) => (a.name < b.name ? -1 : 1),
);
const byName = new Map(eventNames.map((event) => [event.name, event]));

/** The event name of a domain event; undefined when no message is sent of it. */
export function eventOfType(type: string): EventName | undefined {
  return byType.get(type);
}

/** Types of the domain events that may be sent to a holder of these permissions. */
export function typesReadable(permissions: ReadonlySet<string>): string[] {
  return [...byType].filter(([, { permission }]) => permissions.has(permission)).map(([type]) => type);
}

export function eventOfName(name: string): EventName | undefined {
  return byName.get(name);
}

/** Names of the events that may not be sent to a holder of these permissions. */
export function unreadable(permissions: ReadonlySet<string>): string[] {
  return eventNames.filter(({ permission }) => !permissions.has(permission)).map(({ name }) => name);
}

/**
 * The events that an element of a subscription stands for: one event, those of an area, or all; none when it is no
 * known name.
 */
export function eventsMeant(subscribed: string): readonly EventName[] {
  if (subscribed === '*') return eventNames;
  if (subscribed.endsWith('.*'))
    return eventNames.filter(({ name }) => name.startsWith(subscribed.slice(0, -1)));
  const event = byName.get(ownName(subscribed) ?? subscribed);
  return event ? [event] : [];
}

/**
 * The name under which a subscription takes an event: the qualified name if that was subscribed to, otherwise ours;
 * undefined when it does not take the event.
 */
export function sentAs(event: EventName, subscribed: readonly string[]): string | undefined {
  if (event.qualified !== undefined && subscribed.includes(event.qualified)) return event.qualified;
  const [area] = event.name.split('.');
  const takes = subscribed.some((each) => each === event.name || each === `${area}.*` || each === '*');
  return takes ? event.name : undefined;
}
