import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import '../http/trace';
import { startSpan } from './spans';
import { parseTraceparent } from './traceparent';

/** Routes that machines request all day, and whose traces nobody reads. */
const UNTRACED = /^\/(health|metrics)\b/;

/**
 * Makes a server span for every request, as the child of its caller's span. The span shows the route's pattern, and
 * never the address, which contains whatever a caller types.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span
 */
export function registerRequestSpans(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { url: route = '' } = request.routeOptions;
    if (!UNTRACED.test(route)) begin(request, reply, route);
    done();
  });
}

function begin(request: FastifyRequest, reply: FastifyReply, route: string): void {
  const { method, protocol } = request;
  const span = startSpan(`${method} ${route}`.trim(), parseTraceparent(request.headers.traceparent), {
    kind: SpanKind.SERVER,
    attributes: {
      'http.request.method': method,
      'http.route': route || undefined,
      'url.scheme': protocol,
      'network.protocol.version': request.raw.httpVersion,
    },
  });
  if (!span) return;
  request.span = span;
  // Unlike Fastify's onResponse, this also comes when the caller has gone away.
  reply.raw.once('close', () => end(span, request, reply));
}

function end(span: Span, request: FastifyRequest, { raw }: FastifyReply): void {
  const tenant = request.caller?.tenant.alias;
  if (tenant) span.setAttribute('practice.tenant', tenant);
  if (raw.headersSent) {
    span.setAttribute('http.response.status_code', raw.statusCode);
    if (raw.statusCode >= 500)
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', String(raw.statusCode));
  }
  span.end();
}
