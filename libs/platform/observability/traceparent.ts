import type { SpanContext } from '@opentelemetry/api';

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * The parent span that a `traceparent` names; undefined when there is none or it is malformed.
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function parseTraceparent(text: unknown): SpanContext | undefined {
  const match = typeof text === 'string' ? TRACEPARENT.exec(text) : null;
  if (!match) return undefined;
  const [, traceId, spanId, flags] = match;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** Writes a `traceparent` as {@link parseTraceparent} reads it. */
export function printTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
