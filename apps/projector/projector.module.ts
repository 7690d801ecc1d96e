import type { DynamicModule } from '@nestjs/common';
import { EventStoreModule } from '#event-store/event-store.module';
import { AuthModule } from '#platform/auth/auth.module';
import type { Config } from '#platform/config';
import { ObservabilityModule } from '#platform/observability/observability.module';
import { PlatformModule } from '#platform/platform.module';
import { definitions, projections } from '#practice/areas';
import { ProjectionsModule } from '#projections/projections.module';

/** Builds the read models. */
export class ProjectorModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: ProjectorModule,
      imports: [
        PlatformModule.forRoot(config),
        ObservabilityModule,
        AuthModule,
        EventStoreModule.forDefinitions(definitions),
        ProjectionsModule.forProjections(projections),
      ],
    };
  }
}
