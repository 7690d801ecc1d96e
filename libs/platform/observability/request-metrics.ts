import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, register } from 'prom-client';

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from request to answer, by route and status.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});

/** Measures every request; routes are named by their pattern, so that ids make no series of their own. */
export function registerRequestMetrics(fastify: FastifyInstance): void {
  if (!register.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics();
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    duration.labels(request.method, route, String(reply.statusCode)).observe(reply.elapsedTime / 1000);
    done();
  });
}
