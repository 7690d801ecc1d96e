import type { DomainEvent, StreamDefinition } from '#kernel/decider';

/** A record's state while events are added one after another. */
export class Evolving<State extends object, Event extends DomainEvent> {
  /** The events added so far. */
  readonly events: Event[] = [];

  constructor(
    private readonly definition: Pick<StreamDefinition<State, Event>, 'evolve'>,
    private current: State,
  ) {}

  /** The state after the events added so far. */
  get now(): State {
    return this.current;
  }

  apply(events: readonly Event[]): void {
    for (const event of events) this.current = this.definition.evolve(this.current, event);
    this.events.push(...events);
  }
}
