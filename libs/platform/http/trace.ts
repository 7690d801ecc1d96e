import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace id of a W3C `traceparent` header, else a new one: 32 hex digits. */
export function newTraceId(traceparent: unknown): string {
  const match = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent) : null;
  return match && !/^0+$/.test(match[1]) ? match[1] : randomUUID().replaceAll('-', '');
}

/** Fastify's request id is the trace id (see http-application.ts). */
export function traceOf(request: FastifyRequest): string {
  return request.id;
}
