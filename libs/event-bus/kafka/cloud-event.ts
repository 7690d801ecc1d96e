import type { EventMetadata } from '#event-store/events';
import type { StoredEvent } from '#event-store/feed';
import { END, type Position, parsePosition, printPosition } from '#event-store/position';

/** The Kafka message of one event. */
export interface EventMessage {
  partition: number;
  key: string;
  headers: Record<string, string>;
  value: string;
}

/** A message as it is received. */
export interface ReceivedMessage {
  headers: Record<string, string | undefined>;
  value: string;
}

/** A message of which only the headers were read: its own position, and that of the preceding event in its partition. */
export interface Notice {
  at: Position;
  previous: Position;
  streamId: string;
  version: number;
  message: ReceivedMessage;
}

/** Extension attributes may hold lower-case letters and digits only. */
const METADATA: { [Name in keyof Required<EventMetadata>]: string } = {
  actor: 'actor',
  integrationId: 'integrationid',
  correlationId: 'correlationid',
  source: 'origin',
  traceparent: 'traceparent',
};

/** A printed position. No part has more digits than its column allows. */
const POSITION = /^\d{1,10}\.\d{1,20}\.\d{1,19}$/;

/** The largest value of the column `version`, an integer. */
const MAX_VERSION = 2_147_483_647;

/** Formats of the headers that repeat the envelope. */
const HEADERS = {
  type: /^\w+$/,
  tenant: /^[1-9]\d*$/,
  stream: /^[\da-f-]{36}$/,
  version: /^[1-9]\d*$/,
  at: POSITION,
  prev: POSITION,
};

/**
 * An event as a CloudEvents 1.0 document in structured mode. The document has the stored data, in which personal fields
 * are encrypted (under `sealed`), and the envelope as extension attributes. The headers let a consumer filter messages
 * without parsing the document.
 * @param subject the record's id as REST shows it
 * @param previous position of the preceding event in the partition
 * @see https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/kafka-protocol-binding.md
 */
export function toMessage(
  { row, partition }: StoredEvent,
  subject: string,
  previous: Position,
): EventMessage {
  const metadata = Object.entries(METADATA).map(([name, attribute]) => [
    attribute,
    row.metadata[name as keyof EventMetadata],
  ]);
  const document = {
    specversion: '1.0',
    id: row.event_id,
    source: `/tenants/${row.tenant_id}`,
    type: row.type,
    subject,
    time: row.recorded_at.toISOString(),
    datacontenttype: 'application/json',
    partitionkey: String(row.tenant_id),
    schemaversion: row.schema_version,
    streamversion: row.version,
    ...Object.fromEntries(metadata),
    data: row.data,
  };
  return {
    partition,
    key: String(row.tenant_id),
    headers: {
      'content-type': 'application/cloudevents+json; charset=UTF-8',
      type: row.type,
      tenant: String(row.tenant_id),
      stream: row.stream_id,
      version: String(row.version),
      at: row.at,
      prev: printPosition(previous),
    },
    value: JSON.stringify(document),
  };
}

/** Reads a message's headers; undefined when it is no message of this service. */
export function noticeOf(message: ReceivedMessage): Notice | undefined {
  const { headers } = message;
  const isOurs = Object.entries(HEADERS).every(([name, form]) => form.test(headers[name] ?? ''));
  if (!isOurs) return undefined;
  const [at, previous] = [parsePosition(headers.at!), parsePosition(headers.prev!)];
  const version = Number(headers.version);
  if (!isStorable(at) || version > MAX_VERSION) return undefined;
  return { at, previous, streamId: headers.stream!, version, message };
}

function isStorable({ epoch, transactionId, position }: Position): boolean {
  return epoch <= END.epoch && transactionId <= END.transactionId && position <= END.position;
}

/** Reads a message's document. @throws Error when it is no event of this service */
export function fromNotice(partition: number, { at, message }: Notice): StoredEvent {
  const { type, tenant, stream, version } = message.headers as Record<keyof typeof HEADERS, string>;
  const document = JSON.parse(message.value);
  if (!isEvent(document, type)) throw new Error('The value is not the event that the headers describe');
  const metadata = Object.entries(METADATA).flatMap(([name, attribute]) =>
    document[attribute] === undefined ? [] : [[name, document[attribute]]],
  );
  const row = {
    tenant_id: Number(tenant),
    stream_id: stream,
    version: Number(version),
    event_id: document.id,
    type,
    schema_version: document.schemaversion,
    data: document.data,
    metadata: Object.fromEntries(metadata),
    recorded_at: new Date(document.time),
    partition,
    at: printPosition(at),
  };
  return { tenantId: row.tenant_id, streamId: stream, version: row.version, partition, at, row };
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON
function isEvent(document: any, type: string): boolean {
  return (
    document?.specversion === '1.0' &&
    document.type === type &&
    typeof document.id === 'string' &&
    !Number.isNaN(Date.parse(document.time)) &&
    typeof document.data === 'object' &&
    document.data !== null
  );
}
