import { Injectable } from '@nestjs/common';
import { DatabaseError, type PoolClient } from 'pg';
import { Clock } from '#kernel/clock';
import type { DomainEvent } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import type { Id } from '#kernel/ids';
import { copyRows } from '#platform/copy-rows';
import { WriteDatabase } from '#platform/database';
import type { RequestContext } from '#platform/request-context';
import { AppendDraft, taken } from './append-draft';
import type { AppendJob } from './append-job';
import { tenantClaim } from './claims';
import { Codec } from './codec';
import type { AnyDefinition } from './events';
import { fromStore } from './outage';
import { type Position, parsePosition } from './position';
import { AppendSignal } from './signal';
import { SubjectKeys } from './subject-keys';

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

const FIRST_CHUNK = 500;
const MAX_CHUNK = 10_000;
const MAX_CHUNK_BYTES = 32 * 1024 * 1024;
/** A chunk holds the tenant's appends and every reader of the feed back for as long as it takes. */
const CHUNK_MS = 1_000;

/** Appends many new streams of one tenant by COPY, as imports and demo data do. */
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
   * checked: whoever calls knows that they hold.
   * @returns where the last event stands; undefined when there were no streams
   * @throws DomainError `stream_exists`, `<kind>_taken`, `event_too_large`, `invalid_text`, `store_unavailable`
   */
  async append(
    context: RequestContext,
    streams: AsyncIterable<NewStream> | Iterable<NewStream>,
    source: string,
  ): Promise<Position | undefined> {
    let position: Position | undefined;
    let size = FIRST_CHUNK;
    let chunk: AppendJob[] = [];
    let bytes = 0;
    const flush = async () => {
      const began = performance.now();
      position = await this.write(chunk);
      const pace = CHUNK_MS / (performance.now() - began);
      size = Math.min(MAX_CHUNK, Math.max(1, Math.floor(chunk.length * Math.min(pace, 2))));
      chunk = [];
      bytes = 0;
    };
    for await (const stream of streams) {
      const job = this.job(context, stream, source);
      chunk.push(job);
      bytes += job.events.reduce((sum, { data }) => sum + data.length, job.streams[0].state.length);
      if (chunk.length >= size || bytes >= MAX_CHUNK_BYTES) await flush();
    }
    if (chunk.length > 0) await flush();
    return position;
  }

  private job(context: RequestContext, stream: NewStream, source: string): AppendJob {
    const at = stream.recordedAt ?? this.clock.now();
    const draft = new AppendDraft(context, at, source, this.codec, this.keys);
    draft.record(stream.definition, stream.id, undefined, stream.events);
    for (const [name, value] of Object.entries(stream.counters ?? {})) draft.count(name, 0, value);
    return draft.job([]);
  }

  private write(jobs: AppendJob[]): Promise<Position> {
    const { tenantId, partition } = jobs[0];
    return fromStore(async () => {
      const client = await this.database.pool.connect();
      try {
        await client.query('begin');
        await client.query('select pg_advisory_xact_lock($1)', [tenantClaim(tenantId)]);
        const position = await this.copy(client, jobs);
        await client.query('commit');
        client.release();
        this.signal.appended([partition]);
        return position;
      } catch (error) {
        await client.query('rollback').then(
          () => client.release(),
          (broken: Error) => client.release(broken),
        );
        throw refusal(error);
      }
    }, 'The event store does not answer; whether the last chunk was written is not known.');
  }

  private async copy(client: PoolClient, jobs: AppendJob[]): Promise<Position> {
    const { tenantId, partition } = jobs[0];
    const { rows } = await client.query<{ epoch: number }>(
      'select max(epoch) as epoch from event_store.epochs',
    );
    const { epoch } = rows[0];
    await copyRows(
      client,
      'event_store.events (tenant_id, stream_id, version, epoch, partition, event_id, type, schema_version, data, metadata, recorded_at)',
      jobs.flatMap(({ events, metadata, at }) =>
        events.map(({ stream, version, id, type, schema, data }) => [
          ...[tenantId, stream, version, epoch, partition, id, type, schema],
          ...[data, metadata, at.toISOString()],
        ]),
      ),
    );
    await copyRows(
      client,
      'event_store.streams (tenant_id, stream_id, kind, version, state, state_version)',
      jobs.flatMap(({ streams }) =>
        streams.map(({ stream, kind, version, state, stateVersion }) => [
          ...[tenantId, stream, kind, version, state, stateVersion],
        ]),
      ),
    );
    await copyRows(
      client,
      'event_store.links (tenant_id, target, kind, source)',
      jobs.flatMap(({ sections }) =>
        (sections.links ?? []).map(({ target, kind, source }) => [tenantId, target, kind, source]),
      ),
    );
    await copyRows(
      client,
      'event_store.reservations (tenant_id, kind, key, stream_id)',
      jobs.flatMap(({ sections }) =>
        (sections.keys ?? []).map(({ kind, key, stream }) => [tenantId, kind, key, stream]),
      ),
    );
    await copyRows(
      client,
      'event_store.subject_keys (tenant_id, subject, wrapped)',
      jobs.flatMap(({ sections }) =>
        (sections.subjects ?? []).map(({ subject, wrapped }) => [tenantId, subject, `\\x${wrapped}`]),
      ),
    );
    await advance(client, jobs);
    const last = await client.query<{ at: string }>(
      `select epoch || '.' || transaction_id || '.' || position as at from event_store.events
       where partition = $1 and epoch = $2 and transaction_id = pg_current_xact_id()
       order by position desc limit 1`,
      [partition, epoch],
    );
    return parsePosition(last.rows[0].at);
  }
}

/** Moves the counters past what the chunk took, never back: whoever holds the tenant's lock counts alone. */
async function advance(client: PoolClient, jobs: AppendJob[]): Promise<void> {
  const taken = new Map<string, number>();
  for (const { sections } of jobs) {
    for (const { name, value } of sections.counters ?? [])
      taken.set(name, Math.max(value, taken.get(name) ?? 0));
  }
  if (taken.size === 0) return;
  await client.query(
    `insert into event_store.counters as c (tenant_id, name, value)
     select $1, * from unnest($2::text[], $3::bigint[])
     on conflict (tenant_id, name) do update set value = greatest(c.value, excluded.value)`,
    [jobs[0].tenantId, [...taken.keys()], [...taken.values()]],
  );
}

function refusal(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || error.code !== '23505') return error;
  if (error.table === 'reservations') {
    // The detail is: Key (tenant_id, kind, key)=(1, matter_number, 17) …
    return taken(/=\(\d+, (\w+), /.exec(error.detail ?? '')?.[1] ?? 'key');
  }
  return conflict('stream_exists', 'A stream of the bulk exists already.');
}
