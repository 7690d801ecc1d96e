import { Global, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Config } from '../config';
import { HealthController } from './health.controller';
import { MetricsController } from './metrics.controller';
import { Tracing } from './tracing';

/**
 * `/health/live`, `/health/ready`, `/metrics` and traces, on every process. Global, because such a module is shut down
 * after all others: their last spans are sent too.
 */
@Global()
@Module({
  controllers: [HealthController, MetricsController],
  providers: [
    {
      provide: Tracing,
      useFactory: (config: Config, host: HttpAdapterHost) =>
        Tracing.start(config, host.httpAdapter.getInstance()),
      inject: [Config, HttpAdapterHost],
    },
  ],
})
export class ObservabilityModule {}
