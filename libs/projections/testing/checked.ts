import type { RecordedEvent } from '#event-store/events';
import type { Projection } from '../projection';

/** A projection's `ofStream` that passes each event to `check` first. */
export function checked(
  projection: Projection,
  check: (recorded: RecordedEvent) => void,
): Projection['ofStream'] {
  return () => {
    const stream = projection.ofStream();
    return {
      add(recorded) {
        check(recorded);
        stream.add(recorded);
      },
      rows: () => stream.rows(),
    };
  };
}
