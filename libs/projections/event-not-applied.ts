import { DatabaseError } from 'pg';
import type { RecordedEvent } from '#event-store/events';
import { isConnectionLost } from '#platform/database/connection-lost';
import { CheckpointMoved } from './checkpoints';

/** A projection cannot go on past an event. */
export class EventNotApplied extends Error {
  constructor(
    projection: string,
    readonly recorded: RecordedEvent,
    override readonly cause: Error,
  ) {
    const { event, eventId, streamId, version, tenantId } = recorded;
    super(
      `Projection ${projection} cannot apply event ${eventId} (${event.type}, version ${version} of stream ` +
        `${streamId}, tenant ${tenantId}): ${cause.message}`,
    );
  }

  /** What is kept of the cause. */
  get reason(): string {
    return this.cause.message.slice(0, 500);
  }
}

/** Limits exceeded, values that do not fit, constraints, and what functions raise (SQLSTATE classes). */
const OF_THE_DATA = /^(21|22|23|54|P0)/;

/** Whether a failure to apply events came from what they say, and would come again. */
export function isEventFault(error: unknown): error is Error {
  if (error instanceof CheckpointMoved || isConnectionLost(error)) return false;
  return !(error instanceof DatabaseError) || OF_THE_DATA.test(error.code ?? '');
}
