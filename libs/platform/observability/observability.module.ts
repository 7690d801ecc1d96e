import { type DynamicModule, Global, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Config } from '../config';
import { HealthController, WITHOUT_READ_MODELS } from './health.controller';
import { MetricsController } from './metrics.controller';

/**
 * `/health/live`, `/health/ready`, `/metrics` and traces, in every process. The module is global because a global
 * module is shut down after all others: so their last spans are sent too.
 */
@Global()
@Module({
  controllers: [HealthController, MetricsController],
  providers: [
    {
      provide: 'Tracing',
      // Loaded only where it is configured: it costs each process some megabytes.
      useFactory: async (config: Config, host: HttpAdapterHost) => {
        if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return undefined;
        const { Tracing } = await import('#platform/observability/tracing');
        return Tracing.start(config, host.httpAdapter.getInstance());
      },
      inject: [Config, HttpAdapterHost],
    },
  ],
})
export class ObservabilityModule {
  /** For a process that writes: a load balancer goes on sending it requests while only the read models are away. */
  static withoutReadModels(): DynamicModule {
    return {
      module: ObservabilityModule,
      providers: [{ provide: WITHOUT_READ_MODELS, useValue: true }],
    };
  }
}
