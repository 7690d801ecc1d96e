import type { DynamicModule } from '@nestjs/common';
import { ImportModule } from '#import/import.module';
import { ImportWorkerModule } from '#import/import-worker.module';
import { TokenModule } from '#platform/auth/auth.module';
import { Integrations } from '#platform/auth/integrations';
import type { Config } from '#platform/config';
import { ObservabilityModule } from '#platform/observability/observability.module';
import { PlatformModule } from '#platform/platform.module';
import { projections } from '#practice/areas';
import { DemoLoad } from '#practice/demo/demo-load';
import { DocumentSweep } from '#practice/documents/document.sweep';
import { PracticeModule } from '#practice/practice.module';
import { ProjectionsModule } from '#projections/projections.module';
import { ReportingModule } from '#reporting/reporting.module';
import { WebhooksModule } from '#webhooks/webhooks.module';

/** Everything in one process. */
export class LocalModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: LocalModule,
      imports: [
        PlatformModule.forRoot(config),
        ObservabilityModule,
        TokenModule,
        PracticeModule.for({ writes: true, reads: true }),
        ProjectionsModule.forProjections(projections),
        ReportingModule,
        WebhooksModule.for({ writes: true, reads: true, sends: true }),
        ImportModule.for({ writes: true, reads: true }),
        ImportWorkerModule.for(projections),
      ],
      providers: [Integrations, DocumentSweep, DemoLoad],
    };
  }
}
