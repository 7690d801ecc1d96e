import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config';
import { packageRoot } from '../package-root';
import { LoggedExporter } from './logged-exporter';
import { registerRequestSpans } from './request-spans';

/**
 * Spans that may wait to be sent; further ones are dropped. A batch of 1,000 events makes a span of each for every read
 * model.
 */
const QUEUE = 16_384;
/** How long the end of a process waits for the last spans to be sent. */
const FLUSH_MS = 1_000;

/** Sends the process's spans to a collector, by OTLP over HTTP. */
export class Tracing implements OnApplicationShutdown {
  private readonly provider: BasicTracerProvider;

  /** Begins at once, for every request of the server. Earlier requests are not traced. */
  static start(config: Config, fastify: FastifyInstance): Tracing {
    registerRequestSpans(fastify);
    return new Tracing(config.OTEL_TRACES_SAMPLER_ARG);
  }

  private constructor(ratio: number) {
    // The exporter reads the standard's variables itself: address, headers, time limit, certificates, compression.
    const exporter = new LoggedExporter(new OTLPTraceExporter());
    this.provider = new BasicTracerProvider({
      resource: resourceOf(basename(dirname(process.argv[1]))),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
      spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: QUEUE })],
    });
    trace.setGlobalTracerProvider(this.provider);
  }

  /**
   * Sends the remaining spans, or gives them up: a collector that does not answer must not keep a process from ending.
   */
  async onApplicationShutdown(): Promise<void> {
    trace.disable();
    // The exporter has logged the failure.
    const sent = this.provider.shutdown().catch(() => undefined);
    await Promise.race([sent, delay(FLUSH_MS, undefined, { ref: false })]);
  }
}

/** @param process `command` and so on: the name of the folder of the main.js that was started */
function resourceOf(process: string): Resource {
  const { name, version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  return defaultResource().merge(
    resourceFromAttributes({
      'service.name': `${name}-${process}`,
      'service.version': version,
      'service.instance.id': randomUUID(),
    }),
  );
}
