import { DatabaseError } from 'pg';
import type { RecordedEvent } from '#event-store/events';
import { isConnectionLost } from '#platform/database/connection-lost';
import { CheckpointMoved } from './checkpoints';

/** A projection cannot apply an event, and therefore cannot continue after it. */
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

  /** The part of the cause's message that is stored. */
  get reason(): string {
    return this.cause.message.slice(0, 500);
  }
}

/**
 * SQLSTATE classes of exceeded limits, values that do not fit, violated constraints, and errors raised by functions.
 */
const OF_THE_DATA = /^(21|22|23|54|P0)/;

/** Whether applying events failed because of their contents, and would fail again. */
export function isEventFault(error: unknown): error is Error {
  if (error instanceof CheckpointMoved || isConnectionLost(error)) return false;
  return !(error instanceof DatabaseError) || OF_THE_DATA.test(error.code ?? '');
}
