import type { SpanKind } from '@opentelemetry/api';
import { startSpan } from '#platform/observability/spans';
import { parseTraceparent } from '#platform/observability/traceparent';
import type { RecordedEvent } from '../events';
import type { StoredEvent } from '../feed';
import { printPosition } from '../position';

/** How a batch of events was handled. */
export interface Handling {
  /** Returns the name of the span, such as `project work-items`. */
  name: (type: string) => string;
  kind: SpanKind.CONSUMER | SpanKind.PRODUCER;
  /** Milliseconds since 1970. */
  startedAt: number;
}

/** Records the handling, which ends now, as a span of each event whose write was traced, in the trace of that write. */
export function recordEventSpans(events: readonly (RecordedEvent | StoredEvent)[], handling: Handling): void {
  const { name, kind, startedAt } = handling;
  for (const event of events) {
    const { traceparent } = ('row' in event ? event.row : event).metadata;
    if (!traceparent) continue;
    const type = 'row' in event ? event.row.type : event.event.type;
    const span = startSpan(name(type), parseTraceparent(traceparent), {
      kind,
      startTime: startedAt,
      attributes: {
        'practice.tenant.id': event.tenantId,
        'practice.event.type': type,
        'practice.event.position': printPosition(event.at),
        'practice.partition': event.partition,
        'practice.batch.size': events.length,
      },
    });
    span?.end();
  }
}
