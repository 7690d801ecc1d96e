import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type ClientBase, DatabaseError } from 'pg';
import { Clock } from '#kernel/clock';
import type { DomainEvent } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import type { Id } from '#kernel/ids';
import { WriteDatabase } from '#platform/database';
import type { RequestContext } from '#platform/request-context';
import { tenantClaim } from '../claims';
import { Codec } from '../codec';
import type { AnyDefinition, Folded } from '../events';
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
  /** Numbers that the stream took, by counter: none of these counts less from then on. */
  counters?: Record<string, number>;
}

/** A stream that may exist, with the events to add. */
export interface BulkStream extends NewStream {
  /** As it was loaded, if it exists: it must still be at that version. Without events nothing is written of it. */
  before?: Folded;
}

/** What a transaction has written. */
export interface BulkChunk<Stream extends BulkStream> {
  /** Also those without events. */
  streams: readonly Stream[];
  /** Where the last event stands; undefined when there were none. */
  position: Position | undefined;
}

export interface BulkOptions<Stream extends BulkStream> {
  /**
   * Called in the transaction of each chunk, behind what it wrote: what it writes with the client stands or falls with
   * the events. What it throws undoes the chunk, and is thrown as it is.
   */
  within?(client: ClientBase, chunk: BulkChunk<Stream>): Promise<void>;
}

/** What a transaction is to write. */
class Chunk<Stream extends BulkStream> {
  readonly rows: BulkRows;
  /** For whoever asks for them. */
  readonly streams: Stream[] = [];
  /** How many streams there are. */
  size = 0;

  constructor(epoch: number) {
    this.rows = new BulkRows(epoch);
  }
}

const FIRST_CHUNK = 500;
/** More are no faster, and fill the memory. */
const MAX_CHUNK = 2_000;
const MAX_CHUNK_BYTES = 16 * 1024 * 1024;
/** A chunk holds the tenant's appends and every reader of the feed back for as long as it takes. */
const CHUNK_MS = 1_000;
/** Streams to build before the event loop gets a turn, so that sockets are served. */
const TURN = 50;

/** Appends to many streams of one tenant by COPY, as imports and demo data do; to a closed tenant too. */
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
   * Each chunk is a transaction of about a second at most; chunks before one that fails stay. References are not
   * checked: whoever calls knows that they hold. A stream comes once; a key that one gives up may be taken in the same
   * chunk or a later one. Nobody can be erased in bulk.
   * @returns where the last event stands; undefined when there were none
   * @throws DomainError `stream_exists`, `concurrent_update` (a stream is not as it was loaded), `<kind>_taken`,
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
    // While the database writes one chunk the next is made.
    let writing = Promise.resolve();
    const flush = async () => {
      const full = chunk;
      chunk = new Chunk(epoch);
      await writing;
      writing = write(full);
      // Whoever waits for it hears of it.
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
      // Nothing is written any more by the time that the caller hears of it.
      await writing.catch(() => undefined);
      throw error;
    }
    await writing;
    return position;
  }

  /**
   * Takes keys from streams that will give them up in bulk, for whoever comes before them there. Until then their states
   * say that they have them: only a tenant that is closed to others can be left so.
   */
  async release({ tenant }: RequestContext, keys: readonly ReservedKey[]): Promise<void> {
    if (keys.length === 0) return;
    await fromStore(
      () =>
        this.database.transaction(async (client) => {
          await client.query('select pg_advisory_xact_lock($1)', [tenantClaim(tenant.id)]);
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
      // What the caller's part throws is no failure of the store.
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
        await client.query('select pg_advisory_xact_lock($1)', [tenantClaim(tenantId)]);
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
