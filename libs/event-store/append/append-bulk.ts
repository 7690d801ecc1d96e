import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type ClientBase, DatabaseError } from 'pg';
import { Clock } from '#kernel/clock';
import type { DomainEvent } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import type { Id } from '#kernel/ids';
import { WriteDatabase } from '#platform/database';
import type { RequestContext } from '#platform/request-context';
import { Codec } from '../codec';
import type { AnyDefinition, Folded } from '../events';
import { lockTenant } from '../locks';
import { fromStore } from '../outage';
import type { Position } from '../position';
import { AppendSignal } from '../signal';
import { SubjectKeys } from '../subject-keys';
import { AppendDraft, taken } from './append-draft';
import type { AppendJob, ReservedKey } from './append-job';
import { BulkRows, currentEpoch, removeKeys } from './bulk-rows';

/** A stream that does not exist yet, with all its events. */
export interface NewStream {
  definition: AnyDefinition;
  id: Id;
  events: DomainEvent[];
  /** Default: now. */
  recordedAt?: Date;
  /** Numbers that the stream has taken, by counter: the counters continue after them. */
  counters?: Record<string, number>;
}

/** A stream that may exist already, with the events to append. */
export interface BulkStream extends NewStream {
  /**
   * The stream as it was loaded, if it exists: it must still be at that version. Nothing is written if there are no
   * events.
   */
  before?: Folded;
}

/** What one transaction has written. */
export interface BulkChunk<Stream extends BulkStream> {
  /** The streams of the chunk, including those without events. */
  streams: readonly Stream[];
  /** The position of the last event; undefined when there were no events. */
  position: Position | undefined;
}

export interface BulkOptions<Stream extends BulkStream> {
  /**
   * Called in the transaction of each chunk, after the chunk was written: what it writes with the client is committed
   * or rolled back with the events. An error that it throws rolls the chunk back and is rethrown unchanged.
   */
  within?(client: ClientBase, chunk: BulkChunk<Stream>): Promise<void>;
}

/** The streams that one transaction writes. */
class Chunk<Stream extends BulkStream> {
  readonly rows: BulkRows;
  /** The streams for the callback `within`; empty without one. */
  readonly streams: Stream[] = [];
  /** Number of streams. */
  size = 0;

  constructor(epoch: number) {
    this.rows = new BulkRows(epoch);
  }
}

const FIRST_CHUNK = 500;
/** Larger chunks are no faster, and fill the memory. */
const MAX_CHUNK = 2_000;
const MAX_CHUNK_BYTES = 16 * 1024 * 1024;
/** Target duration of a chunk: it blocks the tenant's appends and every reader of the feed while it runs. */
const CHUNK_MS = 1_000;
/** Number of streams to build before the event loop gets a turn, so that sockets are served. */
const TURN = 50;

/** Appends to many streams of one tenant by COPY, for imports and demo data. Works for closed tenants too. */
@Injectable()
export class BulkAppender {
  constructor(
    private readonly database: WriteDatabase,
    private readonly codec: Codec,
    private readonly keys: SubjectKeys,
    private readonly signal: AppendSignal,
    private readonly clock: Clock,
  ) {}

  /**
   * Appends streams in chunks, each in a transaction of about a second at most. Chunks before a failing one stay.
   * References are not checked: the caller guarantees them. A stream may occur only once; a key that one stream gives
   * up may be taken in the same chunk or a later one. Erasure events are not allowed.
   * @returns the position of the last event; undefined when there were no events
   * @throws DomainError `stream_exists`, `concurrent_update` (a stream is no longer as it was loaded), `<kind>_taken`,
   * `event_too_large`, `invalid_text`, `store_unavailable`
   */
  async append<Stream extends BulkStream>(
    context: RequestContext,
    streams: AsyncIterable<Stream> | Iterable<Stream>,
    source: string,
    options: BulkOptions<Stream> = {},
  ): Promise<Position | undefined> {
    let position: Position | undefined;
    let size = FIRST_CHUNK;
    const epoch = await fromStore(() => currentEpoch(this.database.pool), 'The event store does not answer.');
    let chunk = new Chunk<Stream>(epoch);
    let made = 0;
    const write = async (full: Chunk<Stream>) => {
      const began = performance.now();
      position = (await this.write(context, full, options)) ?? position;
      const pace = CHUNK_MS / (performance.now() - began);
      size = Math.min(MAX_CHUNK, Math.max(1, Math.floor(full.size * Math.min(pace, 2))));
    };
    // The next chunk is built while the database writes this one.
    let writing = Promise.resolve();
    const flush = async () => {
      const full = chunk;
      chunk = new Chunk(epoch);
      await writing;
      writing = write(full);
      // A failure is reported by the next await of `writing`.
      writing.catch(() => undefined);
    };
    try {
      for await (const stream of streams) {
        const job = this.job(context, stream, source);
        if (job) chunk.rows.add(job);
        if (options.within) chunk.streams.push(stream);
        chunk.size++;
        if (chunk.size >= size || chunk.rows.bytes >= MAX_CHUNK_BYTES) await flush();
        else if (++made % TURN === 0) await nextTurn();
      }
      if (chunk.size > 0) await flush();
    } catch (error) {
      // Writing has ended by the time the caller receives the error.
      await writing.catch(() => undefined);
      throw error;
    }
    await writing;
    return position;
  }

  /**
   * Removes keys from streams that give them up later in the bulk, so that earlier streams of the bulk can take them.
   * Until then the states of these streams still claim the keys, so the tenant must be closed to others.
   */
  async release({ tenant }: RequestContext, keys: readonly ReservedKey[]): Promise<void> {
    if (keys.length === 0) return;
    await fromStore(
      () =>
        this.database.transaction(async (client) => {
          await lockTenant(client, tenant.id);
          await removeKeys(client, tenant.id, keys);
        }),
      'The event store does not answer.',
    );
  }

  private job(context: RequestContext, stream: BulkStream, source: string): AppendJob | undefined {
    const { definition, id, before, events, recordedAt, counters } = stream;
    if (before && events.length === 0) return undefined;
    const draft = new AppendDraft(context, recordedAt ?? this.clock.now(), source, this.codec, this.keys);
    draft.record(definition, id, before, events);
    for (const [name, value] of Object.entries(counters ?? {})) draft.count(name, 0, value);
    const job = draft.job([]);
    if (job.sections.erasures) throw new Error(`${id} is erased by a bulk append`);
    return job;
  }

  private async write<Stream extends BulkStream>(
    { tenant }: RequestContext,
    { rows, streams }: Chunk<Stream>,
    { within }: BulkOptions<Stream>,
  ): Promise<Position | undefined> {
    let thrown: { error: unknown } | undefined;
    const own = async (client: ClientBase, position: Position | undefined) => {
      try {
        await within?.(client, { streams, position });
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
    try {
      const position = await fromStore(
        () => this.transaction(tenant.id, rows, own),
        'The event store does not answer; whether the last chunk was written is not known.',
      );
      if (position) this.signal.appended([tenant.partition]);
      return position;
    } catch (error) {
      // An error that the callback throws is not a failure of the store.
      throw thrown ? thrown.error : error;
    }
  }

  private async transaction(
    tenantId: number,
    rows: BulkRows,
    within: (client: ClientBase, position: Position | undefined) => Promise<void>,
  ): Promise<Position | undefined> {
    try {
      return await this.database.transaction(async (client) => {
        await lockTenant(client, tenantId);
        const position = await rows.write(client);
        await within(client, position);
        return position;
      });
    } catch (error) {
      throw refusal(error);
    }
  }
}

function refusal(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || error.code !== '23505') return error;
  if (error.table === 'reservations') {
    // The detail is: Key (tenant_id, kind, key)=(1, matter_number, 17) …
    return taken(/=\(\d+, (\w+), /.exec(error.detail ?? '')?.[1] ?? 'key');
  }
  return conflict('stream_exists', 'A stream of the bulk exists already.');
}
