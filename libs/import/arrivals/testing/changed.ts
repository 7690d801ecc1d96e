import type { DomainEvent } from '#kernel/decider';
import { DomainError } from '#kernel/errors';
import type { Ground } from '../../records/imported-record';
import { Numbers } from '../../records/numbers';
import type { Occasion } from '../changes';
import { updatesOf } from '../updates';

/** An id that is the same for the same kind and digit. */
export const id = (kind: string, digit: number) => `${kind}_${String(digit).repeat(32)}`;
/** The reason of write-offs. */
export const reason = 'Written off in Elite';
/** An update of a record that was not written off. */
export const occasion: Occasion = { reason, writtenOffOn: null, keepsDefaultRates: true };

interface AnyMaker {
  table: string;
  // biome-ignore lint/suspicious/noExplicitAny: any maker
  definition: any;
  // biome-ignore lint/suspicious/noExplicitAny: any maker
  create(wanted: any, ground: Ground): { events: DomainEvent[] };
}

// biome-ignore lint/suspicious/noExplicitAny: the state of any record
type State = any;

/** The record that a maker creates from the wanted content. */
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

/** Updates a record from one wanted content to another. @returns the events and the state after them */
export function changed(maker: AnyMaker, from: object, to: object) {
  const { state, writtenOffOn } = made(maker, from);
  const events = updatesOf(maker, state, to, { ...occasion, writtenOffOn });
  const after = events.reduce<State>((before, event) => maker.definition.evolve(before, event), state);
  return { types: events.map(({ type }) => type), after };
}

/** The code of the error about such an update. @throws when there is no error */
export function refusal(maker: AnyMaker, from: object, to: object): string {
  try {
    changed(maker, from, to);
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  throw new Error('It was not refused');
}
