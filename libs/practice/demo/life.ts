import type { NewStream } from '#event-store/append/append-bulk';
import type { Folded } from '#event-store/events';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import type { Id } from '#kernel/ids';

/** A made-up record: its events so far, and the state that they fold into. */
export class Life<State extends object, Event extends DomainEvent = DomainEvent> {
  private readonly events: Event[] = [];
  private state: State | undefined;

  /** @param begunAt when the first event was recorded */
  constructor(
    readonly definition: StreamDefinition<State, Event>,
    readonly id: Id,
    private readonly begunAt: Date,
    first: NoInfer<Event>,
  ) {
    this.live([first]);
  }

  get data(): State {
    return this.state!;
  }

  live(events: readonly Event[]): void {
    for (const event of events) {
      this.state = this.definition.evolve(this.state, event);
      this.events.push(event);
    }
  }

  /** The state in the form that deciders expect. */
  folded(): Folded<State> {
    const on = this.begunAt.toISOString();
    const audit = { createdOn: on, createdBy: 'cli', updatedOn: on, updatedBy: 'cli' };
    return { id: this.id, version: this.events.length, audit, data: this.data };
  }

  /** @param counters the counters with the numbers that the record took */
  stream(counters?: Record<string, number>): NewStream {
    const { definition, id, events, begunAt } = this;
    return { definition, id, events, recordedAt: begunAt, counters };
  }
}
