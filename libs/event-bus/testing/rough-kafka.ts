import { randomUUID } from 'node:crypto';
import type { StoredRow } from '#event-store/codec';
import type { RecordedEvent } from '#event-store/events';
import type { Cursor, EventKey, Feed, StoredEvent } from '#event-store/feed';
import { comparePositions, type Position, parsePosition, START } from '#event-store/position';
import { type EventMessage, toMessage } from '../kafka/cloud-event';
import type { KafkaTransport, Member } from '../kafka/transport';

export type Message = Pick<EventMessage, 'headers' | 'value'>;

/** A store and a topic in memory. The topic holds what a test publishes, and a member receives what a test delivers. */
export class RoughKafka {
  epoch = 1;
  /** How many events of a partition fit into a page of the store: fewer than the limit if they are long. */
  room = Number.POSITIVE_INFINITY;
  /** Number of reads from the store. */
  storeReads = 0;
  /** The member that joined last. */
  member!: Member;
  readonly events: StoredEvent[][];
  readonly logs: Message[][];
  readonly offsets: number[];
  private transaction = 0;
  private number = 0;

  constructor(readonly partitions: number) {
    this.events = Array.from({ length: partitions }, () => []);
    this.logs = this.events.map(() => []);
    this.offsets = this.events.map(() => 0);
  }

  readonly feed = {
    has: async (entries: EventKey[]) =>
      entries.map(({ partition, at, streamId }) =>
        this.events[partition].some(
          (event) => event.streamId === streamId && comparePositions(event.at, at) === 0,
        ),
      ),
    strange: async (cursors: Cursor[]) =>
      cursors.find(
        ({ partition, after }) =>
          comparePositions(after, START) > 0 &&
          !this.events[partition].some(({ at }) => comparePositions(at, after) === 0),
      ),
    page: async (cursors: Cursor[], limit: number) => {
      this.storeReads++;
      const ahead = cursors.map(({ partition, after }) =>
        this.events[partition].filter(({ at }) => comparePositions(at, after) > 0),
      );
      const events = ahead.flatMap((some) => some.slice(0, Math.min(limit, this.room)).map(recorded));
      return { events, more: events.length >= limit || ahead.some(({ length }) => length > this.room) };
    },
    decode: async (stored: StoredEvent[]) => stored.map(recorded),
  } as unknown as Feed;

  readonly transport = {
    join: (_group: string, _topic: string, member: Member) => {
      this.member = member;
      return { leave: async () => undefined };
    },
  } as unknown as KafkaTransport;

  /** Appends events to the store only. */
  append(partition: number, count: number): void {
    for (let left = count; left > 0; left--) {
      this.transaction += this.number % 3; // several events in a transaction now and then
      const at = `${this.epoch}.${this.transaction}.${++this.number}`;
      this.events[partition].push(storedEvent(partition, at));
    }
  }

  /** Publishes events of the store to the topic; index 0 is the first event of its partition. */
  publish(partition: number, indices: number[]): void {
    for (const index of indices) {
      const event = this.events[partition][index];
      this.logs[partition].push(toMessage(event, event.streamId, this.positionAt(partition, index)));
    }
  }

  /** The position after the given number of events of a partition. */
  positionAt(partition: number, count: number): Position {
    return count === 0 ? START : this.events[partition][count - 1].at;
  }

  /**
   * Restores the store to the state before its last events; in a new epoch, to a server whose transaction ids start at
   * one again.
   */
  restore(losing: number[], isNewEpoch: boolean): void {
    for (const [partition, lost] of losing.entries())
      this.events[partition].length = Math.max(0, this.events[partition].length - lost);
    if (!isNewEpoch) return;
    this.epoch++;
    this.transaction = 0;
  }

  /** The next messages for the reader. */
  take(partition: number, count: number): Message[] {
    const from = this.offsets[partition];
    const messages = this.logs[partition].slice(from, from + count);
    this.offsets[partition] += messages.length;
    return messages;
  }
}

function storedEvent(partition: number, at: string): StoredEvent {
  const row: StoredRow = {
    tenant_id: partition + 1,
    stream_id: randomUUID(),
    version: 1,
    event_id: randomUUID(),
    type: 'ParentOpened',
    schema_version: 1,
    data: { name: at },
    metadata: { actor: 'test', correlationId: 'test', source: 'rest' },
    recorded_at: new Date('2025-06-12T10:00:00Z'),
    partition,
    at,
  };
  return {
    tenantId: row.tenant_id,
    streamId: row.stream_id,
    version: 1,
    partition,
    at: parsePosition(at),
    row,
  };
}

function recorded({ row, ...entry }: StoredEvent): RecordedEvent {
  return {
    ...entry,
    eventId: row.event_id,
    event: { type: row.type, data: row.data },
    metadata: row.metadata,
    recordedAt: row.recorded_at,
  };
}
