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

/** How the commands of a simple record create and update it. */
export interface RecordWriting<State extends RecordState, Body extends object, Questions extends Asks> {
  definition: SimpleDefinition<State>;
  /** The value of every field when the request leaves it out or sets it to null. */
  defaults: Omit<State, keyof SwitchedState>;
  /**
   * What the decision needs to load: records to which the body refers, the tenant's settings. Loaded in one round trip.
   * @param id the record's id; undefined for a new record
   */
  asks(context: RequestContext, body: MergePatch<Body>, id?: string): Questions;
  /** Converts those fields of the body that the state stores in another form: money, days. */
  stored?(body: Partial<Body>, found: Answers<Questions>): object;
  /** Checks a change. @throws DomainError when it is not allowed */
  check?(change: Change<State, Body, Questions>): void;
  /** Checks the activation of an inactive record. @throws DomainError when it is not allowed */
  checkActivation?(work: UnitOfWork, id: string): Promise<void>;
}

/** A change that is about to be written. */
export interface Change<State, Body, Questions extends Asks> {
  work: UnitOfWork;
  /** The fields that the request changes. References among them must be checked. */
  given: Partial<Body>;
  found: Answers<Questions>;
  /** The state after the change. */
  next: State;
  /** The record before the change; undefined for a new one. */
  before?: Folded<State & object>;
}

// biome-ignore lint/suspicious/noExplicitAny: any area's writing
export type AnyWriting = RecordWriting<any, any, any>;

/** Questions that load each record of a list. */
// biome-ignore lint/suspicious/noExplicitAny: any definition
export function askEach(definition: StreamDefinition<any, any>, ids: string[] | null | undefined): object {
  return Object.fromEntries((ids ?? []).map((id) => [id, at(definition, id)]));
}

/** The answer to the question of `askEach` for one record. */
export function answerTo<State extends object>(
  _: StreamDefinition<State, DomainEvent>,
  found: object,
  id: string,
): Folded<State> | undefined {
  return (found as Record<string, Folded<State>>)[id];
}

/** Creates a record. */
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

/** Applies a merge patch to a record. */
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
