import { tenantLock } from '../locks';
import { storedJson } from '../stored-json';
import type { AppendJob, Section } from './append-job';
import type { Locks } from './coalescer';

const SECTIONS: readonly Section[] = [
  'unlinked',
  'links',
  'unlinks',
  'keys',
  'unkeys',
  'counters',
  'repeats',
  'subjects',
];

/** PostgreSQL's array syntax for numbers, UUIDs and names that need no quotes. */
const array = (values: unknown[]) => `{${values.join(',')}}`;

/**
 * What a batch does about tenants whose lock somebody holds: it waits for them, or leaves their jobs undone. Only jobs of
 * one tenant may wait, so that no other tenant's jobs wait with them.
 */
export type BusyTenants = 'awaited' | 'left out';

/** The parameters of `event_store.append` for a batch. */
export function appendParameters(
  jobs: readonly AppendJob[],
  locks: readonly Locks[],
  busy: BusyTenants,
): (string | null)[] {
  const tenants = jobs.map(({ tenantId }) => tenantLock(tenantId));
  const sorted = [...(busy === 'awaited' ? sharedLocks(tenants) : []), ...sortedLocks(locks)];
  const streams = elements(jobs, 'streams');
  const events = elements(jobs, 'events');
  const guards = elements(jobs, 'guards');
  return [
    array(sorted.map(([lock]) => lock)),
    array(sorted.map(([, exclusive]) => exclusive)),
    array(jobs.map(({ tenantId }) => tenantId)),
    array(jobs.map(({ partition }) => partition)),
    array(jobs.map(({ at }) => at.toISOString())),
    array(streams.commands),
    array(streams.all.map(({ stream }) => stream)),
    array(streams.all.map(({ kind }) => kind)),
    array(streams.all.map(({ expected }) => expected)),
    array(streams.all.map(({ version }) => version)),
    array(streams.all.map(({ stateVersion }) => stateVersion)),
    streams.all.map(({ state }) => state).join('\n'),
    array(events.commands),
    array(events.all.map(({ stream }) => stream)),
    array(events.all.map(({ version }) => version)),
    array(events.all.map(({ id }) => id)),
    array(events.all.map(({ type }) => type)),
    array(events.all.map(({ schema }) => schema)),
    events.all.map(({ data }) => data).join('\n'),
    events.commands.map((command) => jobs[command - 1].metadata).join('\n'),
    array(guards.commands),
    array(guards.all.map(({ stream }) => stream)),
    array(guards.all.map(({ version }) => version)),
    ...SECTIONS.map((name) => section(jobs, name)),
    array(busy === 'awaited' ? [] : tenants),
  ];
}

const PARAMETERS = 24 + SECTIONS.length;
const placeholders = (count: number) =>
  Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ');

export const APPEND_SQL = `select * from event_store.append(${placeholders(PARAMETERS)})`;
const APPEND_AND_ERASE_SQL = `select * from event_store.append_and_erase(${placeholders(PARAMETERS + 1)})`;

/** The statement that appends a batch. Only a batch that erases somebody calls `append_and_erase`. */
export function appendStatement(
  jobs: readonly AppendJob[],
  locks: readonly Locks[],
  busy: BusyTenants,
): { name: string; text: string; values: (string | null)[] } {
  const values = appendParameters(jobs, locks, busy);
  const erasures = section(jobs, 'erasures');
  return erasures === null
    ? { name: 'event_store.append', text: APPEND_SQL, values }
    : {
        name: 'event_store.append_and_erase',
        text: APPEND_AND_ERASE_SQL,
        values: values.toSpliced(-1, 0, erasures),
      };
}

const sharedLocks = (locks: readonly bigint[]) =>
  [...new Set(locks)].map((lock): [bigint, boolean] => [lock, false]);

/**
 * All locks of a batch without duplicates, exclusive if any job needs that. All batches take locks in the same order.
 */
function sortedLocks(locks: readonly Locks[]): [bigint, boolean][] {
  const all = new Map<bigint, boolean>();
  for (const { exclusive, shared } of locks) {
    for (const lock of shared) if (!all.has(lock)) all.set(lock, false);
    for (const lock of exclusive) all.set(lock, true);
  }
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The elements of all jobs, and for each element the number, from 1, of the command that it belongs to. */
function elements<Name extends 'streams' | 'events' | 'guards'>(jobs: readonly AppendJob[], name: Name) {
  const commands: number[] = [];
  const all: AppendJob[Name][number][] = [];
  for (const [index, job] of jobs.entries()) {
    for (const element of job[name]) {
      commands.push(index + 1);
      all.push(element);
    }
  }
  return { commands, all };
}

function section(jobs: readonly AppendJob[], name: Section): string | null {
  const all: object[] = [];
  for (const [index, { sections }] of jobs.entries()) {
    for (const element of sections[name] ?? []) all.push({ c: index + 1, ...element });
  }
  return all.length > 0 ? storedJson(all) : null;
}
