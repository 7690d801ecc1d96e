import type { DomainEvent, StreamDefinition } from '#kernel/decider';

/** A record to which events happen one after another. */
export class Evolving<State extends object, Event extends DomainEvent> {
  /** That have happened since. */
  readonly events: Event[] = [];

  constructor(
    private readonly definition: Pick<StreamDefinition<State, Event>, 'evolve'>,
    private current: State,
  ) {}

  /** As it is after all events so far. */
  get now(): State {
    return this.current;
  }

  apply(events: readonly Event[]): void {
    for (const event of events) this.current = this.definition.evolve(this.current, event);
    this.events.push(...events);
  }
}
