import type { Folded } from '#event-store/events';
import { type Ask, at } from '#event-store/load';
import type { Answers, UnitOfWork } from '#event-store/unit-of-work';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { newId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { completed, type MergePatch } from './merge-patch';
import { addressed, givenReference, type RecordState, recordChanges } from './record';
import { type SimpleDefinition, type SwitchedState, update } from './simple-record';

type Asks = Record<string, Ask<unknown>>;

/** How a simple record is written. */
export interface RecordWriting<State extends RecordState, Body extends object, Questions extends Asks> {
  definition: SimpleDefinition<State>;
  /** Every field, as it is when the request says nothing of it, or null. */
  defaults: Omit<State, keyof SwitchedState>;
  /**
   * What must be known: records that the body refers to, the tenant's settings. All is asked in one round trip.
   * @param id of the record, unless it is a new one
   */
  asks(context: RequestContext, body: MergePatch<Body>, id?: string): Questions;
  /** The body's fields as the state keeps them, where that differs: money, days. */
  stored?(body: Partial<Body>, found: Answers<Questions>): object;
  /** @throws DomainError when the change must not be */
  check?(change: Change<State, Body, Questions>): void;
  /** Before one that is inactive is switched on. @throws DomainError when it must not be */
  checkActivation?(work: UnitOfWork, id: string): Promise<void>;
}

/** What is about to be written of a record. */
export interface Change<State, Body, Questions extends Asks> {
  work: UnitOfWork;
  /** What the request says that is new: a reference is checked when it is given. */
  given: Partial<Body>;
  found: Answers<Questions>;
  /** The state after the change. */
  next: State;
  /** The record before the change; absent when it is new. */
  before?: Folded<State & object>;
}

// biome-ignore lint/suspicious/noExplicitAny: any area's writing
export type AnyWriting = RecordWriting<any, any, any>;

/** Questions for all of a list of records. */
// biome-ignore lint/suspicious/noExplicitAny: any definition
export function askEach(definition: StreamDefinition<any, any>, ids: string[] | null | undefined): object {
  return Object.fromEntries((ids ?? []).map((id) => [id, at(definition, id)]));
}

/** What the question of `askEach` for one of them was answered with. */
export function answerTo<State extends object>(
  _: StreamDefinition<State, DomainEvent>,
  found: object,
  id: string,
): Folded<State> | undefined {
  return (found as Record<string, Folded<State>>)[id];
}

/** A new record. */
export async function createRecord<State extends RecordState, Body extends object, Questions extends Asks>(
  work: UnitOfWork,
  { definition, defaults, asks, stored, check }: RecordWriting<State, Body, Questions>,
  body: Body,
): Promise<Folded<State>> {
  const found = await work.load(asks(work.context, body));
  const { externalReference, ...given } = { ...body, ...stored?.(body, found) } as Partial<State>;
  const fields = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, given[name as keyof typeof given] ?? value]),
  );
  const data = { ...fields, ...givenReference(work.context, externalReference) };
  const event = { type: `${definition.name}Created`, data };
  check?.({ work, given: body, found, next: definition.evolve(undefined, event) });
  return work.create(definition, newId(definition.kind), [event]);
}

/** Changes what a merge patch says that is new. */
export async function updateRecord<State extends RecordState, Body extends object, Questions extends Asks>(
  work: UnitOfWork,
  { definition, defaults, asks, stored, check }: RecordWriting<State, Body, Questions>,
  id: string,
  asked: MergePatch<Body>,
): Promise<Folded<State>> {
  const questions = { ...asks(work.context, asked, id), record: at(definition, id) };
  const { record, ...found } = await work.load(questions);
  const before = addressed(work, record as Folded<State> | undefined, definition.kind);
  const answers = found as Answers<Questions>;
  const body = completed<Body>(asked, before.data);
  const patch = { ...body, ...stored?.(body, answers) };
  const changes = recordChanges(work.context, before.data, patch, defaults as Partial<State>);
  const given = Object.fromEntries(Object.entries(body).filter(([name]) => name in changes)) as Partial<Body>;
  check?.({ work, given, found: answers, next: { ...before.data, ...changes }, before });
  return work.change(definition, before, update(definition, changes));
}
