import {
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { DomainError } from '#kernel/errors';

/**
 * Starts a span; undefined when it would not be recorded, because this process makes no traces or this trace was not
 * sampled. Then its work has no spans either, and nothing is calculated for them.
 */
export function startSpan(
  name: string,
  parent: SpanContext | undefined,
  options: SpanOptions,
): Span | undefined {
  const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
  const span = trace.getTracer('practice-management').startSpan(name, options, context);
  return span.isRecording() ? span : undefined;
}

/** Marks a span as failed, with the kind of error alone: a message may quote what a record says. */
export function failSpan(span: Span | undefined, error: unknown): void {
  if (!span) return;
  const type = error instanceof DomainError ? error.code : (error as object).constructor.name;
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
}
