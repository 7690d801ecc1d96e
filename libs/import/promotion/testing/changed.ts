import type { DomainEvent } from '#kernel/decider';
import { DomainError } from '#kernel/errors';
import type { Ground } from '../../records/imported-record';
import { Numbers } from '../../records/numbers';
import { updatesOf } from '../updates';

/** The id of a record, the same for the same digit. */
export const id = (kind: string, digit: number) => `${kind}_${String(digit).repeat(32)}`;
/** Why work is written off. */
export const reason = 'Written off in Elite';

interface AnyMaker {
  table: string;
  // biome-ignore lint/suspicious/noExplicitAny: any maker
  definition: any;
  // biome-ignore lint/suspicious/noExplicitAny: any maker
  create(wanted: any, ground: Ground): { events: DomainEvent[] };
}

// biome-ignore lint/suspicious/noExplicitAny: the state of any record
type State = any;

/** What creating it makes of a wish. */
export function made({ definition, create }: AnyMaker, wanted: object) {
  const ground = { numbers: new Numbers({}), sourceSystem: 'Elite' } as Ground;
  const { events } = create(wanted, ground);
  const state = events.reduce<State>((before, event) => definition.evolve(before, event), undefined);
  const off = events.find(({ type }) => type === `${definition.name}WrittenOff`) as DomainEvent<
    string,
    { day: string }
  >;
  return { state, writtenOffOn: off?.data.day ?? null };
}

/** The events by which a record of one wish becomes that of another, and what it is then. */
export function changed(maker: AnyMaker, from: object, to: object) {
  const { state, writtenOffOn } = made(maker, from);
  const events = updatesOf(maker, state, to, { reason, writtenOffOn });
  const after = events.reduce<State>((before, event) => maker.definition.evolve(before, event), state);
  return { types: events.map(({ type }) => type), after };
}

/** The code with which that is refused. @throws when it is not */
export function refusal(maker: AnyMaker, from: object, to: object): string {
  try {
    changed(maker, from, to);
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  throw new Error('It was not refused');
}
