import type { RecordedEvent } from '#event-store/events';
import type { WantedEvents } from '#event-store/feed/tenant-feed';
import { printPosition } from '#event-store/position';
import { Entity } from '#practice/entities/entity';
import type { Message } from '../queue/delivery';
import { type EventName, eventOfType, importPromoted, typesReadable } from './event-catalogue';
import { CONTENT, withFollowing } from './following-fields';

/**
 * The sources with which bulk work marks its events. No message is sent of each event; one message tells of the end.
 */
const SILENT = new Set(['import', 'demo']);

const STATE = ['state', 'stateName'];
const PAID = [...STATE, 'paid', 'balance', 'payments'];
const TOTALS = ['lines', 'taxes', 'net', 'tax', 'total', 'balance'];

/** @param rest the field that shows how much can still be billed, besides the amount */
function worthOf(area: string, rest: string): Record<string, readonly string[]> {
  const worth = [...STATE, 'remaining', rest];
  return {
    [`${area}.billed`]: worth,
    [`${area}.billingReversed`]: [...worth, 'invoiceId'],
    [`${area}.writtenOff`]: worth,
    [`${area}.reinstated`]: worth,
  };
}

/** The fields that change with an event whose data does not name them, by the event's name or its second part. */
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

/** What `changed` means, for clients. */
export const CHANGED =
  'The names of the fields that such an event changes, and of the fields that are derived from them. Some may ' +
  'have kept their value, such as the state of work that is written off in part.';

export type EventMessage = Omit<Message, 'webhook_id' | 'sent_as'>;

/** Selects the events for which `messageOf` has a message that a holder of these permissions may be sent. */
export function toldTo(permissions: ReadonlySet<string>): WantedEvents {
  const types = typesReadable(permissions);
  return {
    types: types.filter((type) => eventOfType(type) === importPromoted),
    typesUnlessFrom: types,
    sources: [...SILENT],
  };
}

/** The message of an event, the same for every endpoint; undefined when none is sent. */
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

/** The names of the record's fields that an event changed, sorted. */
function changedBy({ name }: EventName, { event }: RecordedEvent): string[] {
  const [area] = name.split('.');
  return [...(impliedBy(name) ?? namesIn(event, area))].sort();
}

/** The fields that an event of this name changes whatever its data; undefined when the data names them. */
export function impliedBy(name: string): readonly string[] | undefined {
  const [, what] = name.split('.');
  return implied[name] ?? implied[what];
}

/**
 * The fields that an event's data names. For an event that this program cannot read there are none, but its message is
 * sent all the same: the record shows the current state.
 */
function namesIn(event: RecordedEvent['event'], area: string): string[] {
  try {
    return withFollowing(area, Object.keys(event.data));
  } catch {
    return [];
  }
}
