import type { NewStream } from '#event-store/append/append-bulk';
import type { Folded } from '#event-store/events';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import type { Id } from '#kernel/ids';

/** A record that is made up: its events so far, and what they have made of it. */
export class Life<State extends object, Event extends DomainEvent = DomainEvent> {
  private readonly events: Event[] = [];
  private state: State | undefined;

  /** @param begunAt when its first event was recorded */
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

  /** As deciders take it. */
  folded(): Folded<State> {
    const on = this.begunAt.toISOString();
    const audit = { createdOn: on, createdBy: 'cli', updatedOn: on, updatedBy: 'cli' };
    return { id: this.id, version: this.events.length, audit, data: this.data };
  }

  /** @param counters with the numbers that it took */
  stream(counters?: Record<string, number>): NewStream {
    const { definition, id, events, begunAt } = this;
    return { definition, id, events, recordedAt: begunAt, counters };
  }
}
