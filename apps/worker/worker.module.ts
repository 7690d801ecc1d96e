import type { DynamicModule } from '@nestjs/common';
import { EventStoreModule } from '#event-store/event-store.module';
import { ImportWorkerModule } from '#import/import-worker.module';
import { AuthModule } from '#platform/auth/auth.module';
import type { Config } from '#platform/config';
import { ObservabilityModule } from '#platform/observability/observability.module';
import { PlatformModule } from '#platform/platform.module';
import { definitions, projections } from '#practice/areas';
import { DocumentSweep } from '#practice/documents/document.sweep';
import { WebhooksModule } from '#webhooks/webhooks.module';

/** Background work that belongs to no read model. */
export class WorkerModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        PlatformModule.forRoot(config),
        ObservabilityModule,
        AuthModule,
        EventStoreModule.forDefinitions(definitions),
        WebhooksModule.for({ sends: true }),
        ImportWorkerModule.for(projections),
      ],
      providers: [DocumentSweep],
    };
  }
}
