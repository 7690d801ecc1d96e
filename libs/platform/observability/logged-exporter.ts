import { Logger } from '@nestjs/common';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';

type Done = Parameters<SpanExporter['export']>[1];

/** Logs once that a collector takes no traces, and once that it takes them again, instead of once for each batch. */
export class LoggedExporter implements SpanExporter {
  private readonly log = new Logger('Tracing');
  private failing = false;

  constructor(private readonly exporter: SpanExporter) {}

  export(spans: ReadableSpan[], done: Done): void {
    this.exporter.export(spans, (result) => {
      this.note(result.error);
      done(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.exporter.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  private note(error: Error | undefined): void {
    if (error && !this.failing) this.log.warn(`Traces are lost: the collector fails: ${error.message}`);
    if (!error && this.failing) this.log.log('The collector takes traces again');
    this.failing = error !== undefined;
  }
}
