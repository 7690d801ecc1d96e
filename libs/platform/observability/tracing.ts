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

/** Spans that wait to be sent, beyond which they are dropped: a batch of 1,000 events makes one for each read model. */
const QUEUE = 16_384;
/** The least that two batches may wait for each other. */
const FLUSH_MS = 1_000;

/** Sends the process's spans to a collector, by OTLP over HTTP. */
export class Tracing implements OnApplicationShutdown {
  private readonly provider: BasicTracerProvider;

  /** Begins at once, for every request of the server; requests that come before are not traced. */
  static start(config: Config, fastify: FastifyInstance): Tracing {
    registerRequestSpans(fastify);
    return new Tracing(config.OTEL_TRACES_SAMPLER_ARG);
  }

  private constructor(ratio: number) {
    // Reads the standard's variables itself: address, headers, time limit, certificates, compression.
    const exporter = new LoggedExporter(new OTLPTraceExporter());
    this.provider = new BasicTracerProvider({
      resource: resourceOf(basename(dirname(process.argv[1]))),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
      spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: QUEUE })],
    });
    trace.setGlobalTracerProvider(this.provider);
  }

  /** Sends what is left, or gives it up: a collector that does not answer keeps no process from ending. */
  async onApplicationShutdown(): Promise<void> {
    trace.disable();
    // The exporter has told of a failure.
    const sent = this.provider.shutdown().catch(() => undefined);
    await Promise.race([sent, delay(FLUSH_MS, undefined, { ref: false })]);
  }
}

/** @param process `command` and so on: the folder of the main.js that was started */
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
