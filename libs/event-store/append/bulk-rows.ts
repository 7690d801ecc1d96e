import type { ClientBase } from 'pg';
import { conflict } from '#kernel/errors';
import { type Kind, toId } from '#kernel/ids';
import { copyText } from '#platform/database/copy-rows';
import { CopyText } from '#platform/database/copy-text';
import { type Position, parsePosition } from '../position';
import { taken } from './append-draft';
import {
  type AppendJob,
  keyColumns,
  linkColumns,
  type ReservedKey,
  type Section,
  type Sections,
  type StreamWrite,
} from './append-job';

/** Tables that new streams are copied into, with their columns. */
const copied = {
  streams: 'event_store.streams (tenant_id, stream_id, kind, version, state, state_version)',
  links: 'event_store.links (tenant_id, target, kind, source)',
  keys: 'event_store.reservations (tenant_id, kind, key, stream_id)',
  subjects: 'event_store.subject_keys (tenant_id, subject, wrapped)',
};

const EVENTS =
  'event_store.events (tenant_id, stream_id, version, epoch, partition, event_id, type, schema_version, data, metadata, recorded_at)';

/**
 * The rows to write for streams of one tenant. For new streams it keeps only the bytes that COPY takes, so that objects
 * can be garbage collected while they are young.
 */
export class BulkRows {
  private readonly events = new CopyText();
  private readonly copies = {
    streams: new CopyText(),
    links: new CopyText(),
    keys: new CopyText(),
    subjects: new CopyText(),
  };
  private readonly goOn: AppendJob[] = [];
  private readonly counters = new Map<string, number>();
  private tenant?: Pick<AppendJob, 'tenantId' | 'partition'>;

  /** @param epoch epoch of the events */
  constructor(private readonly epoch: number) {}

  /** Bytes held by the two largest kinds of rows: events and streams. */
  get bytes(): number {
    return this.events.length + this.copies.streams.length;
  }

  add(job: AppendJob): void {
    const { tenantId, partition, events, metadata, at } = job;
    this.tenant = { tenantId, partition };
    const on = at.toISOString();
    for (const { stream, version, id, type, schema, data } of events) {
      const before = [tenantId, stream, version, this.epoch, partition];
      this.events.row([...before, id, type, schema, data, metadata, on]);
    }
    for (const { name, value } of job.sections.counters ?? [])
      this.counters.set(name, Math.max(value, this.counters.get(name) ?? 0));
    if (isOld(job)) this.goOn.push(job);
    else this.addNew(job);
  }

  private addNew({ tenantId, streams, sections }: AppendJob): void {
    const { copies } = this;
    for (const { stream, kind, version, state, stateVersion } of streams)
      copies.streams.row([tenantId, stream, kind, version, state, stateVersion]);
    for (const { target, kind, source } of sections.links ?? [])
      copies.links.row([tenantId, target, kind, source]);
    for (const { kind, key, stream } of sections.keys ?? []) copies.keys.row([tenantId, kind, key, stream]);
    for (const { subject, wrapped } of sections.subjects ?? [])
      copies.subjects.row([tenantId, subject, `\\x${wrapped}`]);
  }

  /**
   * Writes all rows. The caller holds the tenant's lock exclusively, in a transaction that has written nothing yet. New
   * streams are copied; existing ones are changed as `event_store.append` changes them.
   * @returns the position of the last event; undefined when there are no events
   * @throws DomainError `concurrent_update`, `<kind>_taken`; DatabaseError 23505 when a new stream's row exists
   */
  async write(client: ClientBase): Promise<Position | undefined> {
    const { goOn, tenant } = this;
    if (!tenant) return undefined;
    await changeStreams(client, goOn);
    await remove(client, goOn);
    await requireEpoch(client, this.epoch);
    await copyText(client, EVENTS, this.events);
    for (const [name, text] of Object.entries(this.copies))
      await copyText(client, copied[name as keyof typeof copied], text);
    await addLinks(client, goOn);
    await addKeys(client, goOn);
    await advanceCounters(client, tenant.tenantId, this.counters);
    return lastOf(client, tenant.partition, this.epoch);
  }
}

const isOld = ({ streams: [stream] }: AppendJob) => stream.expected > 0;

function elements<Name extends Section>(jobs: readonly AppendJob[], section: Name): Sections[Name][] {
  return jobs.flatMap(({ sections }) => (sections[section] ?? []) as Sections[Name][]);
}

/**
 * Updates existing streams. This comes first, so that a stream that has changed is reported as such, and not by a
 * conflict that follows from it.
 */
async function changeStreams(client: ClientBase, jobs: readonly AppendJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const streams = jobs.flatMap((job) => job.streams);
  const { rows } = await client.query<{ stream_id: string }>(
    `update event_store.streams t
     set version = n.version, state = n.state::json, state_version = n.state_version
     from unnest($2::uuid[], $3::text[], $4::int[], $5::int[], $6::smallint[], string_to_array($7, e'\\n'))
       as n(stream_id, kind, expected, version, state_version, state)
     where t.tenant_id = $1 and t.stream_id = n.stream_id and t.kind = n.kind and t.version = n.expected
     returning t.stream_id`,
    [
      jobs[0].tenantId,
      streams.map(({ stream }) => stream),
      streams.map(({ kind }) => kind),
      streams.map(({ expected }) => expected),
      streams.map(({ version }) => version),
      streams.map(({ stateVersion }) => stateVersion),
      streams.map(({ state }) => state).join('\n'),
    ],
  );
  if (rows.length < streams.length)
    throw changedMeanwhile(streams, new Set(rows.map((row) => row.stream_id)));
}

function changedMeanwhile(streams: readonly StreamWrite[], changed: ReadonlySet<string>): Error {
  const missed = streams.find(({ stream }) => !changed.has(stream));
  // Every stream was updated, but there are fewer rows than streams: one occurs twice.
  if (!missed) return new RangeError('A bulk append has a stream twice');
  const id = toId(missed.kind as Kind, missed.stream);
  return conflict('concurrent_update', `${id} is not at version ${missed.expected} any more.`);
}

/**
 * Removes links and keys. This comes before anything is added, because another stream may take a key that one gives up.
 */
async function remove(client: ClientBase, jobs: readonly AppendJob[]): Promise<void> {
  const unlinks = elements(jobs, 'unlinks');
  if (unlinks.length > 0) {
    await client.query(
      `delete from event_store.links t using unnest($2::uuid[], $3::text[], $4::uuid[]) as l(target, kind, source)
       where t.tenant_id = $1 and t.target = l.target and t.kind = l.kind and t.source = l.source`,
      [jobs[0].tenantId, ...linkColumns(unlinks)],
    );
  }
  const unkeys = elements(jobs, 'unkeys');
  if (unkeys.length > 0) await removeKeys(client, jobs[0].tenantId, unkeys);
}

/** Removes the keys that the given streams hold, and leaves keys that other streams hold. */
export async function removeKeys(
  client: ClientBase,
  tenantId: number,
  keys: readonly ReservedKey[],
): Promise<void> {
  await client.query(
    `delete from event_store.reservations t using unnest($2::text[], $3::text[], $4::uuid[]) as k(kind, key, stream)
     where t.tenant_id = $1 and t.kind = k.kind and t.key = k.key and t.stream_id = k.stream`,
    [tenantId, ...keyColumns(keys)],
  );
}

/** Checks that the epoch is unchanged. A new epoch begins when a store is restored, while nobody appends. */
async function requireEpoch(client: ClientBase, epoch: number): Promise<void> {
  if ((await currentEpoch(client)) !== epoch) throw new Error('Another epoch has begun');
}

/** The epoch of new events. */
export async function currentEpoch(client: Pick<ClientBase, 'query'>): Promise<number> {
  const { rows } = await client.query<{ epoch: number }>(
    'select max(epoch) as epoch from event_store.epochs',
  );
  return rows[0].epoch;
}

async function addLinks(client: ClientBase, jobs: readonly AppendJob[]): Promise<void> {
  const links = elements(jobs, 'links');
  if (links.length === 0) return;
  await client.query(
    `insert into event_store.links (tenant_id, target, kind, source)
     select $1, * from unnest($2::uuid[], $3::text[], $4::uuid[]) on conflict do nothing`,
    [jobs[0].tenantId, ...linkColumns(links)],
  );
}

async function addKeys(client: ClientBase, jobs: readonly AppendJob[]): Promise<void> {
  const keys = elements(jobs, 'keys');
  if (keys.length === 0) return;
  const values = [jobs[0].tenantId, ...keyColumns(keys)];
  await client.query(
    `insert into event_store.reservations (tenant_id, kind, key, stream_id)
     select $1, * from unnest($2::text[], $3::text[], $4::uuid[]) on conflict do nothing`,
    values,
  );
  const { rows } = await client.query<{ kind: string }>(
    `select k.kind from unnest($2::text[], $3::text[], $4::uuid[]) as k(kind, key, stream)
     join event_store.reservations r on r.tenant_id = $1 and r.kind = k.kind and r.key = k.key
     where r.stream_id <> k.stream limit 1`,
    values,
  );
  if (rows.length > 0) throw taken(rows[0].kind);
}

/**
 * Moves the counters past the numbers that the chunk took, never back. The tenant's lock excludes others from counting.
 */
async function advanceCounters(
  client: ClientBase,
  tenantId: number,
  counted: ReadonlyMap<string, number>,
): Promise<void> {
  if (counted.size === 0) return;
  await client.query(
    `insert into event_store.counters as c (tenant_id, name, value)
     select $1, * from unnest($2::text[], $3::bigint[])
     on conflict (tenant_id, name) do update set value = greatest(c.value, excluded.value)`,
    [tenantId, [...counted.keys()], [...counted.values()]],
  );
}

async function lastOf(client: ClientBase, partition: number, epoch: number): Promise<Position> {
  const { rows } = await client.query<{ at: string }>(
    `select epoch || '.' || transaction_id || '.' || position as at from event_store.events
     where partition = $1 and epoch = $2 and transaction_id = pg_current_xact_id()
     order by position desc limit 1`,
    [partition, epoch],
  );
  return parsePosition(rows[0].at);
}
