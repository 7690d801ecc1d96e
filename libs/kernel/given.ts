import type { DomainEvent, StreamDefinition } from './decider';
import { DomainError } from './errors';

/** Given past events, when a decision is made, then events follow or it is refused. For unit tests. */
export function given<State extends object, Event extends DomainEvent>(
  definition: StreamDefinition<State, Event>,
  past: NoInfer<Event>[],
) {
  const state = past.reduce<State | undefined>(definition.evolve, undefined);
  return {
    state,
    when(decide: (state: State) => Event[]) {
      let outcome: Event[] | DomainError;
      try {
        outcome = decide(state as State);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        outcome = error;
      }
      return {
        thenEvents(expected: Event[]): void {
          expect(outcome).toEqual(expected);
        },
        thenRefused(code: string): void {
          expect(outcome).toBeInstanceOf(DomainError);
          expect((outcome as DomainError).code).toBe(code);
        },
      };
    },
  };
}
