import { Module } from '@nestjs/common';
import { HealthController } from './health.controller';
import { MetricsController } from './metrics.controller';

/** `/health/live`, `/health/ready` and `/metrics`, on every process. */
@Module({ controllers: [HealthController, MetricsController] })
export class ObservabilityModule {}
