import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import { toId } from '#kernel/ids';
import {
  type AnyDefinition,
  type Audit,
  Definitions,
  type EventMetadata,
  type Folded,
  type RecordedEvent,
} from './events';
import { parsePosition } from './position';
import { SubjectKeys } from './subject-keys';

/** Stored JSON: the readable fields, and under `sealed` the encrypted personal fields. */
export type Stored = Record<string, unknown> & { sealed?: string };

/** A row of `event_store.events`. */
export interface StoredRow {
  tenant_id: number;
  stream_id: string;
  version: number;
  event_id: string;
  type: string;
  schema_version: number;
  data: Stored;
  metadata: EventMetadata;
  recorded_at: Date;
  partition: number;
  /** `epoch.transaction_id.position` */
  at: string;
}

/** A StoredRow with the wrapped key of its stream if it has sealed fields. */
export interface EventRow extends StoredRow {
  wrapped: Buffer | null;
}

/**
 * Columns of an EventRow, from `event_store.events e`, with the key for its sealed fields. The key is looked up row by
 * row, because the planner could choose a join that reads everybody's keys for one event.
 */
export const EVENT_COLUMNS = `e.tenant_id, e.stream_id, e.version, e.event_id, e.type, e.schema_version, e.data,
  e.metadata, e.recorded_at, e.partition, e.epoch || '.' || e.transaction_id || '.' || e.position as at,
  (select k.wrapped from event_store.subject_keys k
   where e.data ? 'sealed' and k.tenant_id = e.tenant_id and k.subject = e.stream_id) as wrapped`;

/** A stored event that this program cannot read. The message contains none of its data; the cause may. */
export class UnreadableEvent extends Error {
  constructor(
    row: EventRow,
    readonly fault: string,
    cause: unknown,
  ) {
    const { type, schema_version, version, stream_id, tenant_id, at } = row;
    super(
      `Event ${version} of stream ${stream_id} of tenant ${tenant_id}, a ${type} of schema version ${schema_version} ` +
        `at position ${at}, cannot be read: ${fault}`,
      { cause },
    );
  }
}

/**
 * Converts events and states to their stored form and back. The only place that knows how personal fields are stored.
 */
@Injectable()
export class Codec {
  constructor(
    readonly definitions: Definitions,
    private readonly keys: SubjectKeys,
  ) {}

  schemaVersion(definition: AnyDefinition, type: string): number {
    return definition.events[type].length + 1;
  }

  /** @throws DomainError `anonymised` when the event has personal fields and the key is gone */
  encodeEvent(
    definition: AnyDefinition,
    streamId: string,
    key: Buffer | undefined,
    event: DomainEvent,
  ): Stored {
    return this.conceal(definition, streamId, key, event.data);
  }

  /**
   * Encodes a state. If it has personal fields but no key, the person was erased: the state is stored unencrypted, with
   * the definition's substitutes for the personal fields.
   */
  encodeState(definition: AnyDefinition, streamId: string, key: Buffer | undefined, folded: Folded): object {
    const { audit, id } = folded;
    if (!definition.personal) return { audit, data: folded.data };
    if (!key) return { audit, data: { ...folded.data, ...definition.personal.erased(id) } };
    const { sealed, ...data } = this.conceal(definition, streamId, key, folded.data);
    return { audit, data, sealed };
  }

  /** @throws UnreadableEvent */
  decodeEvent(row: EventRow): RecordedEvent {
    return recorded(row, { type: row.type, data: this.upcast(row) });
  }

  /** Like `decodeEvent`, but an unreadable event throws only when its data is accessed. */
  decodeLeniently(row: EventRow): RecordedEvent {
    try {
      return this.decodeEvent(row);
    } catch (error) {
      return recorded(row, {
        type: row.type,
        get data(): object {
          throw error;
        },
      });
    }
  }

  /** Decrypts an event's data and upcasts it to the current schema version. */
  private upcast(row: EventRow): object {
    let fault = 'its type is unknown';
    try {
      const definition = this.definitions.ofType(row.type);
      const upcasters = definition.events[row.type];
      if (row.schema_version > upcasters.length + 1) {
        fault = 'a newer program wrote it';
        throw new Error(`${row.type} is known up to schema version ${upcasters.length + 1}`);
      }
      fault = 'its sealed fields do not open';
      let data = this.open(row.stream_id, row.wrapped, row.data);
      for (let version = row.schema_version; version <= upcasters.length; version++) {
        fault = `its upcaster from schema version ${version} failed`;
        data = upcasters[version - 1](data);
      }
      // This comes last, so that no upcaster of a personal field undoes it.
      return this.withErased(definition, row.stream_id, row.wrapped, row.data, data);
    } catch (cause) {
      throw new UnreadableEvent(row, fault, cause);
    }
  }

  decodeState(
    definition: AnyDefinition,
    row: {
      stream_id: string;
      version: number;
      wrapped: Buffer | null;
      state: { audit: Audit; data: object; sealed?: string };
    },
  ): Folded {
    const { audit, data, sealed } = row.state;
    const stored = sealed === undefined ? (data as Stored) : { ...data, sealed };
    return {
      id: toId(definition.kind, row.stream_id),
      version: row.version,
      audit,
      wrapped: row.wrapped ?? undefined,
      data: this.withErased(
        definition,
        row.stream_id,
        row.wrapped,
        stored,
        this.open(row.stream_id, row.wrapped, stored),
      ),
    };
  }

  private conceal(
    definition: AnyDefinition,
    streamId: string,
    key: Buffer | undefined,
    plain: object,
  ): Stored {
    const { personal } = definition;
    if (!personal) return plain as Stored;
    const open: Stored = {};
    const hidden: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(plain))
      (personal.fields.includes(name) ? hidden : open)[name] = value;
    if (Object.keys(hidden).length === 0) return open;
    if (!key)
      throw conflict('anonymised', `The personal data of ${toId(definition.kind, streamId)} was erased.`);
    return { ...open, sealed: this.keys.seal(key, streamId, hidden) };
  }

  /** Decrypts the fields. Without a key the person was erased, and the sealed fields are omitted. */
  private open(streamId: string, wrapped: Buffer | null, stored: Stored): object {
    if (stored.sealed === undefined) return stored;
    const { sealed, ...open } = stored;
    return wrapped ? { ...open, ...this.keys.open(this.keys.unwrap(wrapped), streamId, sealed) } : open;
  }

  /** Adds the definition's substitutes for the personal fields of an erased person. */
  private withErased(
    definition: AnyDefinition,
    streamId: string,
    wrapped: Buffer | null,
    { sealed }: Stored,
    data: object,
  ): object {
    if (sealed === undefined || wrapped) return data;
    return { ...data, ...definition.personal?.erased(toId(definition.kind, streamId)) };
  }
}

function recorded(row: EventRow, event: DomainEvent): RecordedEvent {
  return {
    tenantId: row.tenant_id,
    streamId: row.stream_id,
    version: row.version,
    eventId: row.event_id,
    event,
    metadata: row.metadata,
    recordedAt: row.recorded_at,
    partition: row.partition,
    at: parsePosition(row.at),
  };
}
