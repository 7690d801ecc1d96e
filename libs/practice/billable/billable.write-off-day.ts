import type { RecordedEvent } from '#event-store/events';
import type { Day } from '#kernel/zone';
import type { AnyBillable } from './billable';
import type { BillableEvent } from './billable.events';

/**
 * The latest day of the write-offs of a record by request that are in force; null when there are none. It is found in the
 * record's events, because its state does not have it: only a reversal needs it, which is rare.
 * @param history the record's events, oldest first
 */
export async function lastWriteOff(
  { name }: Pick<AnyBillable, 'name'>,
  history: AsyncIterable<RecordedEvent[]>,
): Promise<Day | null> {
  let last: Day | null = null;
  for await (const events of history)
    for (const recorded of events) {
      const event = recorded.event as BillableEvent<string>;
      if (event.type === `${name}Reinstated`) last = null;
      else if (event.type === `${name}WrittenOff`) {
        const { day } = event.data as { day: Day };
        if (last === null || day > last) last = day;
      }
    }
  return last;
}
