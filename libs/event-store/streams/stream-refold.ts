import { Injectable } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { Codec, EVENT_COLUMNS, type EventRow, UnreadableEvent } from '#event-store/codec';
import { type AnyDefinition, type Folded, fold } from '#event-store/events';

/** A stream folded from its events. */
export interface Refolded {
  /** UUID with dashes. */
  streamId: string;
  /** Undefined if the stream has no events. */
  definition?: AnyDefinition;
  folded?: Folded;
  /**
   * The reason why the events cannot all be folded, without any of their data. `folded` contains the events before the
   * fault.
   */
  fault?: string;
}

const BATCH = 1_000;
const BEFORE_FIRST = -2_147_483_648;

const EVENTS_QUERY = `
  select ${EVENT_COLUMNS}
  from unnest($2::uuid[], $3::integer[]) as s(stream_id, version)
  cross join lateral (
    select * from event_store.events f
    where f.tenant_id = $1 and f.stream_id = s.stream_id and f.version > s.version
    order by f.version limit $4
  ) e
  order by e.stream_id, e.version limit $4`;

/** Folds streams from their events alone. */
@Injectable()
export class StreamRefold {
  constructor(private readonly codec: Codec) {}

  /** Folds streams of a tenant, including those without events. */
  async refold(client: ClientBase, tenantId: number, streamIds: string[]): Promise<Refolded[]> {
    const streams: Refolded[] = streamIds.map((streamId) => ({ streamId }));
    await this.extend(client, tenantId, streams);
    return streams;
  }

  /** Folds in events that were appended since. Holds one batch of events in memory at a time. */
  async extend(client: ClientBase, tenantId: number, streams: readonly Refolded[]): Promise<void> {
    const byId = new Map(streams.map((stream) => [stream.streamId, stream]));
    let open = streams.filter(({ fault }) => !fault);
    while (open.length > 0) {
      const { rows } = await client.query<EventRow>(EVENTS_QUERY, [
        tenantId,
        open.map(({ streamId }) => streamId),
        open.map(({ folded }) => folded?.version ?? BEFORE_FIRST),
        BATCH,
      ]);
      for (const row of rows) this.add(byId.get(row.stream_id)!, row);
      if (rows.length < BATCH) return;
      const last = rows[rows.length - 1].stream_id;
      open = open.filter(({ streamId, fault }) => streamId >= last && !fault);
    }
  }

  private add(stream: Refolded, row: EventRow): void {
    if (stream.fault) return;
    const { definitions } = this.codec;
    stream.definition ??= definitions.has(row.type) ? definitions.ofType(row.type) : undefined;
    stream.fault = this.fold(stream, row);
  }

  /** @returns the fault that prevents folding the event in; undefined on success */
  private fold(stream: Refolded, row: EventRow): string | undefined {
    const next = (stream.folded?.version ?? 0) + 1;
    if (row.version !== next) return `event ${next} is missing: event ${row.version} stands in its place`;
    const name = `event ${row.version} (${row.type})`;
    try {
      const recorded = this.codec.decodeEvent(row);
      const definition = this.codec.definitions.ofType(row.type);
      if (definition !== stream.definition) return `${name} belongs to another kind of stream`;
      stream.folded = fold(definition, stream.folded, recorded);
      return undefined;
    } catch (error) {
      return `${name} cannot be ${error instanceof UnreadableEvent ? `read: ${error.fault}` : 'folded'}`;
    }
  }
}
