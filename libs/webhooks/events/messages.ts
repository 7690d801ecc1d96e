import type { RecordedEvent } from '#event-store/events';
import type { WantedEvents } from '#event-store/feed/tenant-feed';
import { printPosition } from '#event-store/position';
import { Entity } from '#practice/entities/entity';
import type { Message } from '../queue/delivery';
import { type EventName, eventOfType, importPromoted, typesReadable } from './event-catalogue';
import { CONTENT, withFollowing } from './following-fields';

/** How bulk work marks its events: no message is sent of each, their end is told by one. */
const SILENT = new Set(['import', 'demo']);

const STATE = ['state', 'stateName'];
const PAID = [...STATE, 'paid', 'balance', 'payments'];
const TOTALS = ['lines', 'taxes', 'net', 'tax', 'total', 'balance'];

/** @param rest how much of it can still be billed, beside its worth */
function worthOf(area: string, rest: string): Record<string, readonly string[]> {
  const worth = [...STATE, 'remaining', rest];
  return {
    [`${area}.billed`]: worth,
    [`${area}.billingReversed`]: [...worth, 'invoiceId'],
    [`${area}.writtenOff`]: worth,
    [`${area}.reinstated`]: worth,
  };
}

/** What changes with an event whose data is not the fields that were set, by its name or by what happened. */
const implied: Record<string, readonly string[]> = {
  deleted: ['isDeleted'],
  activated: STATE,
  deactivated: STATE,
  closed: [...STATE, 'dateClosed'],
  reopened: [...STATE, 'dateClosed'],
  archived: [...STATE, 'dateArchived'],
  finalised: STATE,
  unfinalised: STATE,
  reserved: ['invoiceId'],
  released: ['invoiceId'],
  ...worthOf('workitem', 'remainingUnits'),
  ...worthOf('costrecovery', 'remainingQuantity'),
  roleAssigned: ['roleIds'],
  roleRemoved: ['roleIds'],
  anonymised: [...(Entity.personal?.fields ?? []), 'sortName', 'fullName', 'anonymisedOn'],
  exported: [],
  promoted: ['lastImport'],
  used: ['isUsed', 'rates'],
  issued: [...STATE, 'number', 'issueDate', 'dueDate', ...TOTALS],
  unissued: [...STATE, 'balance'],
  voided: [...STATE, 'balance'],
  partPaid: PAID,
  paid: PAID,
  paymentReversed: PAID,
  'invoice.writtenOff': [...STATE, 'balance', 'writtenOff'],
  linesAdded: TOTALS,
  linesRemoved: TOTALS,
  taxed: TOTALS,
  versionAdded: ['fileName', 'contentType', ...CONTENT],
};

export type EventMessage = Omit<Message, 'webhook_id' | 'sent_as'>;

/** The events that `messageOf` has a message of for somebody with these permissions. */
export function toldTo(permissions: ReadonlySet<string>): WantedEvents {
  const types = typesReadable(permissions);
  return {
    types: types.filter((type) => eventOfType(type) === importPromoted),
    typesUnlessFrom: types,
    sources: [...SILENT],
  };
}

/** What is told of an event, to whomever it is sent; undefined when nobody is told. */
export function messageOf(recorded: RecordedEvent): { event: EventName; message: EventMessage } | undefined {
  const event = eventOfType(recorded.event.type);
  if (!event || (SILENT.has(recorded.metadata.source) && event !== importPromoted)) return undefined;
  const message = {
    tenant_id: recorded.tenantId,
    event_id: recorded.eventId,
    type: event.name,
    kind: event.kind,
    subject: recorded.streamId,
    version: recorded.version,
    changed: JSON.stringify(changedBy(event, recorded)),
    source: recorded.metadata.actor,
    occurred_at: recorded.recordedAt,
    at: printPosition(recorded.at),
  };
  return { event, message };
}

/** Names of the record's fields, without what they hold. */
function changedBy({ name }: EventName, { event }: RecordedEvent): string[] {
  const [area] = name.split('.');
  return [...(impliedBy(name) ?? namesIn(event, area))].sort();
}

/** Fields that change with an event of that name whatever its data; undefined when these name them. */
export function impliedBy(name: string): readonly string[] | undefined {
  const [, what] = name.split('.');
  return implied[name] ?? implied[what];
}

/** An event that this program cannot read is told all the same: the record says how things stand. */
function namesIn(event: RecordedEvent['event'], area: string): string[] {
  try {
    return withFollowing(area, Object.keys(event.data));
  } catch {
    return [];
  }
}
