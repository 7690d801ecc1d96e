import type { DomainEvent, NaturalKey, StreamDefinition } from '#kernel/decider';
import { type Id, toUuid } from '#kernel/ids';
import type { ClosedReason } from './closed-tenants';
import type { AnyDefinition, Audit, Folded } from './events';
import { storedJson } from './stored-json';

/** A question about current state; Answer is what it is answered with. */
export interface Ask<Answer> {
  section: (typeof SECTIONS)[number] | 'related' | 'closed' | 'none';
  definition?: AnyDefinition;
  /** Answered with a list of streams. */
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

/** The stream with that id, or undefined; no id, no question. */
// biome-ignore lint/suspicious/noExplicitAny: any definition
export function at<D extends StreamDefinition<any, any>>(
  definition: D,
  id: string | null | undefined,
): Ask<Folded<State<D>> | undefined> {
  if (!id) return { section: 'none' };
  return { section: 'streams', definition, query: { stream: toUuid(id) } };
}

/** The stream whose id stands in a field of another stream's state, in the same round trip. */
// biome-ignore lint/suspicious/noExplicitAny: any definition
export function via<D extends StreamDefinition<any, any>>(
  definition: D,
  id: string | null | undefined,
  field: string,
): Ask<Folded<State<D>> | undefined> {
  if (!id) return { section: 'none' };
  return { section: 'followed', definition, query: { stream: toUuid(id), field } };
}

/** As via, one field further: the stream whose id stands in a field of the stream that the first field leads to. */
// biome-ignore lint/suspicious/noExplicitAny: any definition
export function along<D extends StreamDefinition<any, any>>(
  definition: D,
  id: string | null | undefined,
  path: [string, string],
): Ask<Folded<State<D>> | undefined> {
  if (!id) return { section: 'none' };
  return { section: 'related', definition, query: { stream: toUuid(id), path } };
}

/** The stream that holds a natural key. */
// biome-ignore lint/suspicious/noExplicitAny: any definition
export function holding<D extends StreamDefinition<any, any>>(
  definition: D,
  { kind, key }: NaturalKey,
): Ask<Folded<State<D>> | undefined> {
  return { section: 'related', definition, query: { kind, key } };
}

/**
 * Every stream that has a link of one of these kinds to a stream: to the one with that id, or to the one whose id stands
 * in a field of its state.
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

/** How many links of a kind (or of any) point at a stream. */
export function linksTo(id: string, kind: string | null = null): Ask<number> {
  return { section: 'links', query: { target: toUuid(id), kind } };
}

/** UUID of the stream that holds a natural key. */
export function holderOf(kind: string, key: string): Ask<string | undefined> {
  return { section: 'keys', query: { kind, key } };
}

/** A counter's value; 0 before its first use. */
export function counter(name: string): Ask<number> {
  return { section: 'counters', query: { name } };
}

/** What was answered to an idempotency key, if it was used. */
export interface Repeat {
  hash: Buffer;
  status: number;
  streams: { kind: string; id: Id; version: number }[];
  outcome: unknown;
}

export function repeatOf(integration: string, key: string, now: Date): Ask<Repeat | undefined> {
  return { section: 'repeats', query: { integration, key, at: now } };
}

/** Why the tenant takes no commands, if it is closed. */
export function closed(): Ask<ClosedReason | undefined> {
  return { section: 'closed' };
}

/** What one command asks, with its tenant. */
export interface LoadJob {
  tenantId: number;
  asks: readonly Ask<unknown>[];
}

export interface LoadRow {
  /** Null: `value` is a tenant that is closed, `kind` the reason. */
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

/** The questions of a batch, each once: concurrent commands of a tenant ask for much the same. */
export interface Questions {
  distinct: { tenantId: number; ask: Ask<unknown> }[];
  /** For every job, the number of each of its asks among the distinct ones. */
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

/** Hardly ever has a row: cheaper than to ask it for a tenant. */
const CLOSED = `select null, null, reason, null, null, null, null, tenant_id from event_store.closed_tenants`;

/** The statement that answers them; n is a question's number. Only who asks for related streams pays for them. */
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

/** A stored state as the codec takes it. */
export type StateRow = {
  stream_id: string;
  version: number;
  wrapped: Buffer | null;
  state: { audit: Audit; data: object; sealed?: string };
};
