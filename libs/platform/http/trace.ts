import { randomUUID } from 'node:crypto';
import type { Span } from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import { parseTraceparent } from '../observability/traceparent';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while the request is traced. */
    span?: Span;
  }
}

/** The trace id of a W3C `traceparent` header, or else a new one: 32 hex digits. */
export function newTraceId(traceparent: unknown): string {
  return parseTraceparent(traceparent)?.traceId ?? randomUUID().replaceAll('-', '');
}

/** The trace id of the request's span, or else Fastify's request id (see http-application.ts). */
export function traceOf(request: FastifyRequest): string {
  return request.span?.spanContext().traceId ?? request.id;
}
