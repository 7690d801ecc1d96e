import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '#kernel/decider';
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

/** JSON as stored: the readable fields and, under `sealed`, the personal ones encrypted. */
export type Stored = Record<string, unknown> & { sealed?: string };

/** A row of `event_store.events`, with the wrapped key of its stream where it has sealed fields. */
export interface EventRow {
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
  wrapped: Buffer | null;
}

/**
 * Columns of an EventRow, from `event_store.events e`, with the key that its sealed fields need. Looked up row by row:
 * a join could come to read the keys of everybody for one event.
 */
export const EVENT_COLUMNS = `e.tenant_id, e.stream_id, e.version, e.event_id, e.type, e.schema_version, e.data,
  e.metadata, e.recorded_at, e.partition, e.epoch || '.' || e.transaction_id || '.' || e.position as at,
  (select k.wrapped from event_store.subject_keys k
   where e.data ? 'sealed' and k.tenant_id = e.tenant_id and k.subject = e.stream_id) as wrapped`;

/** Turns events and states into what is stored, and back. The only place that knows how personal fields are kept. */
@Injectable()
export class Codec {
  constructor(
    readonly definitions: Definitions,
    private readonly keys: SubjectKeys,
  ) {}

  schemaVersion(definition: AnyDefinition, type: string): number {
    return definition.events[type].length + 1;
  }

  encodeEvent(
    definition: AnyDefinition,
    streamId: string,
    key: Buffer | undefined,
    event: DomainEvent,
  ): Stored {
    return this.conceal(definition, streamId, key, event.data);
  }

  encodeState(definition: AnyDefinition, streamId: string, key: Buffer | undefined, folded: Folded): object {
    const { audit } = folded;
    if (!definition.personal) return { audit, data: folded.data };
    const { sealed, ...data } = this.conceal(definition, streamId, key, folded.data);
    return { audit, data, sealed };
  }

  decodeEvent(row: EventRow): RecordedEvent {
    const definition = this.definitions.ofType(row.type);
    const upcast = definition.events[row.type]
      .slice(row.schema_version - 1)
      .reduce<object>(
        (data, upcaster) => upcaster(data),
        this.reveal(definition, row.stream_id, row.wrapped, row.data),
      );
    return {
      tenantId: row.tenant_id,
      streamId: row.stream_id,
      version: row.version,
      eventId: row.event_id,
      event: { type: row.type, data: upcast },
      metadata: row.metadata,
      recordedAt: row.recorded_at,
      partition: row.partition,
      at: parsePosition(row.at),
    };
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
    return {
      id: toId(definition.kind, row.stream_id),
      version: row.version,
      audit,
      wrapped: row.wrapped ?? undefined,
      data: this.reveal(
        definition,
        row.stream_id,
        row.wrapped,
        sealed === undefined ? (data as Stored) : { ...data, sealed },
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
    if (!key) throw new Error(`No key for the personal fields of ${definition.kind} ${streamId}`);
    return { ...open, sealed: this.keys.seal(key, streamId, hidden) };
  }

  private reveal(
    definition: AnyDefinition,
    streamId: string,
    wrapped: Buffer | null,
    stored: Stored,
  ): object {
    if (stored.sealed === undefined) return stored;
    const { sealed, ...open } = stored;
    // The key of an erased person is gone, and with it all that was sealed.
    if (!wrapped) return { ...open, ...definition.personal?.erased(toId(definition.kind, streamId)) };
    return { ...open, ...this.keys.open(this.keys.unwrap(wrapped), streamId, sealed) };
  }
}
