import type { RecordedEvent } from '#event-store/events';
import { comparePositions, type Position, START } from '#event-store/position';
import type { Subscriber } from '../event-bus';

/**
 * What the subscribers of one name have handled together. As in a database, a checkpoint moves only from the position
 * that the subscriber expects.
 */
export class Ledger {
  readonly received: { by: string; event: RecordedEvent }[] = [];
  private readonly reached = new Map<number, Position>();

  constructor(readonly name: string) {}

  get names(): string[] {
    return this.received.map(({ event }) => (event.event.data as { name: string }).name).sort();
  }

  subscriber(by: string, before: (events: RecordedEvent[]) => Promise<void> = async () => {}): Subscriber {
    const believed = new Map<number, Position>();
    return {
      name: this.name,
      cursors: async (partitions) =>
        partitions.map((partition) => {
          const after = this.reached.get(partition) ?? START;
          believed.set(partition, after);
          return { partition, after };
        }),
      handle: async (events) => {
        await before(events);
        const moved = events.some(
          ({ partition }) =>
            comparePositions(believed.get(partition)!, this.reached.get(partition) ?? START) !== 0,
        );
        if (moved) return false;
        for (const event of events) {
          this.received.push({ by, event });
          this.reached.set(event.partition, event.at);
          believed.set(event.partition, event.at);
        }
        return true;
      },
    };
  }
}
