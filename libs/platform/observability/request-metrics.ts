import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Histogram, register } from 'prom-client';
import { traceOf } from '../http/trace';

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from request to answer, by route and status; 499: the caller did not wait for the answer.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});

const series = new Map<string, ReturnType<typeof duration.labels>>();

/** The series of a route. prom-client hashes labels at every lookup; there are few series, so they are kept. */
function seriesOf(method: string, route: string, status: number): ReturnType<typeof duration.labels> {
  const name = `${method} ${route} ${status}`;
  let known = series.get(name);
  if (!known) {
    known = duration.labels(method, route, String(status));
    series.set(name, known);
  }
  return known;
}

const log = new Logger('Http');

/** The status of requests whose caller went away before an answer began; nginx logs them like this, too. */
const CALLER_GONE = 499;

/** Measures and logs every request. Routes are named by their pattern, so that ids make no series of their own. */
export function registerRequestMetrics(fastify: FastifyInstance): void {
  if (!register.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics();
  fastify.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    // Unlike Fastify's onResponse, this also comes when the caller has gone away.
    reply.raw.once('close', () => note(request, reply, performance.now() - startedAt));
    done();
  });
}

function note(request: FastifyRequest, { raw }: FastifyReply, milliseconds: number): void {
  const route = request.routeOptions.url ?? 'none';
  const { method } = request;
  const status = raw.headersSent ? raw.statusCode : CALLER_GONE;
  seriesOf(method, route, status).observe(milliseconds / 1000);
  const tenant = request.caller?.tenant.alias;
  const line = { msg: `${method} ${route} ${status}`, traceId: traceOf(request), tenant, milliseconds };
  if (status >= 500) log.warn(line);
  else log.debug(line);
}
