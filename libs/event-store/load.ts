import type { DomainEvent, NaturalKey, StreamDefinition } from '#kernel/decider';
import { type Id, toUuid } from '#kernel/ids';
import type { ClosedReason } from './closed-tenants';
import type { AnyDefinition, Audit, Folded } from './events';
import { storedJson } from './stored-json';

/** A question about current state. Answer is the type of its answer. */
export interface Ask<Answer> {
  section: (typeof SECTIONS)[number] | 'related' | 'closed' | 'none';
  definition?: AnyDefinition;
  /** The answer is a list of streams. */
  many?: true;
  /** The section's element of `event_store.load`, or of `load_related`, without n and tenant. */
  query?: Record<string, unknown>;
  readonly answer?: Answer;
}

/** The answers to several questions, in the order of these. */
export type AnswersTo<Asks extends readonly Ask<unknown>[]> = {
  -readonly [Index in keyof Asks]: Asks[Index] extends Ask<infer Answer> ? Answer : never;
};

type State<D> = D extends StreamDefinition<infer S, infer _E extends DomainEvent> ? S : never;

/** Asks for the stream with an id; without an id nothing is asked, and the answer is undefined. */
// biome-ignore lint/suspicious/noExplicitAny: any definition
export function at<D extends StreamDefinition<any, any>>(
  definition: D,
  id: string | null | undefined,
): Ask<Folded<State<D>> | undefined> {
  if (!id) return { section: 'none' };
  return { section: 'streams', definition, query: { stream: toUuid(id) } };
}

/** Asks, in the same round trip, for the stream whose id is in a field of another stream's state. */
// biome-ignore lint/suspicious/noExplicitAny: any definition
export function via<D extends StreamDefinition<any, any>>(
  definition: D,
  id: string | null | undefined,
  field: string,
): Ask<Folded<State<D>> | undefined> {
  if (!id) return { section: 'none' };
  return { section: 'followed', definition, query: { stream: toUuid(id), field } };
}

/**
 * Like `via`, one field further: asks for the stream whose id is in a field of the stream that the first field refers
 * to.
 */
// biome-ignore lint/suspicious/noExplicitAny: any definition
export function along<D extends StreamDefinition<any, any>>(
  definition: D,
  id: string | null | undefined,
  path: [string, string],
): Ask<Folded<State<D>> | undefined> {
  if (!id) return { section: 'none' };
  return { section: 'related', definition, query: { stream: toUuid(id), path } };
}

/** Asks for the stream that holds a natural key. */
// biome-ignore lint/suspicious/noExplicitAny: any definition
export function holding<D extends StreamDefinition<any, any>>(
  definition: D,
  { kind, key }: NaturalKey,
): Ask<Folded<State<D>> | undefined> {
  return { section: 'related', definition, query: { kind, key } };
}

/**
 * Asks for every stream that has a link of one of these kinds to a stream: to the stream with the given id, or to the
 * stream whose id is in a field of that stream's state.
 */
// biome-ignore lint/suspicious/noExplicitAny: any definition
export function linkedTo<D extends StreamDefinition<any, any>>(
  definition: D,
  id: string | null | undefined,
  linked: readonly string[],
  field?: string,
): Ask<Folded<State<D>>[]> {
  if (!id) return { section: 'none', many: true };
  const query = { stream: toUuid(id), linked, ...(field && { path: [field] }) };
  return { section: 'related', definition, many: true, query };
}

/** Asks how many links of one kind (by default of any kind) point at a stream. */
export function linksTo(id: string, kind: string | null = null): Ask<number> {
  return { section: 'links', query: { target: toUuid(id), kind } };
}

/** Asks for the UUID of the stream that holds a natural key. */
export function holderOf(kind: string, key: string): Ask<string | undefined> {
  return { section: 'keys', query: { kind, key } };
}

/** Asks for a counter's value; 0 before its first use. */
export function counter(name: string): Ask<number> {
  return { section: 'counters', query: { name } };
}

/** The stored answer to an idempotency key that was used before. */
export interface Repeat {
  hash: Buffer;
  streams: { kind: string; id: Id; version: number }[];
  outcome: unknown;
}

export function repeatOf(integration: string, key: string, now: Date): Ask<Repeat | undefined> {
  return { section: 'repeats', query: { integration, key, at: now } };
}

/** Asks for the reason why the tenant takes no commands, if it is closed. */
export function closed(): Ask<ClosedReason | undefined> {
  return { section: 'closed' };
}

/** The questions of one command, with its tenant. */
export interface LoadJob {
  tenantId: number;
  asks: readonly Ask<unknown>[];
}

export interface LoadRow {
  /** The number of the question. Null for a closed tenant: `value` is the tenant then, and `kind` the reason. */
  n: number | null;
  stream_id: string | null;
  kind: string | null;
  version: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: a stored state, or the answer kept for an idempotency key
  state: any;
  state_version: number | null;
  wrapped: Buffer | null;
  value: string | null;
}

export const SECTIONS = ['streams', 'followed', 'links', 'keys', 'counters', 'repeats'] as const;

/** The questions of a batch without duplicates: concurrent commands of a tenant ask mostly the same. */
export interface Questions {
  distinct: { tenantId: number; ask: Ask<unknown> }[];
  /** For each job, the indexes of its questions in `distinct`. */
  numbers: number[][];
}

export function questionsOf(jobs: LoadJob[]): Questions {
  const distinct: Questions['distinct'] = [];
  const known = new Map<string, number>();
  const numbers = jobs.map(({ tenantId, asks }) =>
    asks.map((ask) => {
      const { section, definition, many, query } = ask;
      const name = `${tenantId} ${section} ${definition?.kind} ${many} ${JSON.stringify(query)}`;
      let number = known.get(name);
      if (number === undefined) {
        number = distinct.push({ tenantId, ask }) - 1;
        known.set(name, number);
      }
      return number;
    }),
  );
  return { distinct, numbers };
}

/** Read for all tenants: the table is nearly always empty, which makes this cheaper than a query by tenant. */
const CLOSED = `select null, null, reason, null, null, null, null, tenant_id from event_store.closed_tenants`;

/**
 * The statement that answers the questions; n is the number of a question. Related streams are queried only if asked
 * for.
 */
export function loadStatement({ distinct }: Questions): { name: string; text: string; values: unknown[] } {
  const asked = (section: Ask<unknown>['section']) => {
    const elements = distinct.flatMap(({ tenantId, ask }, n) =>
      ask.section === section ? [{ n, tenant: tenantId, ...ask.query }] : [],
    );
    return elements.length > 0 ? storedJson(elements) : null;
  };
  const values = SECTIONS.map(asked);
  const related = asked('related');
  const text = `select * from event_store.load($1, $2, $3, $4, $5, $6) union all ${CLOSED}`;
  if (related === null) return { name: 'event_store.load', text, values };
  return {
    name: 'event_store.load_related',
    text: `${text} union all select * from event_store.load_related($7)`,
    values: [...values, related],
  };
}

/** A stored state as the codec reads it. */
export type StateRow = {
  stream_id: string;
  version: number;
  wrapped: Buffer | null;
  state: { audit: Audit; data: object; sealed?: string };
};
