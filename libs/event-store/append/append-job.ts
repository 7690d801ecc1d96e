import { nameLock, streamLock } from '../locks';
import type { Locks } from './coalescer';

/** A stream after its new events. */
export interface StreamWrite {
  stream: string;
  kind: string;
  /** The version that the stream must have; 0: it must not exist. */
  expected: number;
  version: number;
  stateVersion: number;
  /** JSON */
  state: string;
}

export interface EventWrite {
  stream: string;
  version: number;
  id: string;
  type: string;
  schema: number;
  /** JSON */
  data: string;
}

/** A link, by the UUIDs of its streams. */
export interface StreamLink {
  target: string;
  kind: string;
  source: string;
}

/** A natural key, which only one stream of the tenant can hold. */
export interface ReservedKey {
  kind: string;
  key: string;
  stream: string;
}

/** Elements as in `event_store.append`, without `c`, the number of the command. */
export interface Sections {
  unlinked: { target: string; kind: string | null };
  links: StreamLink;
  unlinks: StreamLink;
  keys: ReservedKey;
  unkeys: ReservedKey;
  counters: { name: string; expected: number; value: number };
  repeats: {
    integration: string;
    key: string;
    hash: string;
    streams: { kind: string; id: string; version: number }[];
    outcome: unknown;
  };
  subjects: { subject: string; wrapped: string };
  /** Subjects whose key is destroyed. */
  erasures: { subject: string };
}
export type Section = keyof Sections;

/** The changes of one command, which are appended all or not at all. UUIDs have dashes. */
export interface AppendJob {
  tenantId: number;
  partition: number;
  at: Date;
  /** JSON of the metadata that all events of the job have. */
  metadata: string;
  streams: StreamWrite[];
  events: EventWrite[];
  guards: { stream: string; version: number }[];
  sections: { [Name in Section]?: Sections[Name][] };
}

/**
 * The locks of an append, without its tenant's. Exclusive: what it writes, and streams that must not get links meanwhile.
 * Shared: what it relies on, and streams that it links to.
 */
export function locksOf({ tenantId, streams, guards, sections }: AppendJob): Locks {
  const exclusive = [
    ...streams.map(({ stream }) => streamLock(stream)),
    ...(sections.unlinked ?? []).map(({ target }) => streamLock(target)),
    ...[...(sections.keys ?? []), ...(sections.unkeys ?? [])].map(({ kind, key }) =>
      nameLock('key', tenantId, kind, key),
    ),
    ...(sections.counters ?? []).map(({ name }) => nameLock('counter', tenantId, name)),
    ...(sections.repeats ?? []).map(({ integration, key }) => nameLock('repeat', tenantId, integration, key)),
  ];
  const shared = [
    ...guards.map(({ stream }) => streamLock(stream)),
    ...(sections.links ?? []).map(({ target }) => streamLock(target)),
  ];
  return { exclusive, shared: shared.filter((lock) => !exclusive.includes(lock)) };
}

/** Columns of links for `unnest(uuid[], text[], uuid[])`. */
export function linkColumns(links: readonly StreamLink[]): string[][] {
  return [
    links.map(({ target }) => target),
    links.map(({ kind }) => kind),
    links.map(({ source }) => source),
  ];
}

/** Columns of natural keys for `unnest(text[], text[], uuid[])`. */
export function keyColumns(keys: readonly ReservedKey[]): string[][] {
  return [keys.map(({ kind }) => kind), keys.map(({ key }) => key), keys.map(({ stream }) => stream)];
}
