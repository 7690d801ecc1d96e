import type { DomainEvent, StreamDefinition } from '../decider';
import { DomainError } from '../errors';

/** A given/when/then test of a decider: given past events, when it decides, then it yields events or refuses. */
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
