import type { DynamicModule } from '@nestjs/common';
import { ImportModule } from '#import/import.module';
import { AuthModule } from '#platform/auth/auth.module';
import type { Config } from '#platform/config';
import { ObservabilityModule } from '#platform/observability/observability.module';
import { PlatformModule } from '#platform/platform.module';
import { PracticeModule } from '#practice/practice.module';
import { ReportingModule } from '#reporting/reporting.module';
import { WebhooksModule } from '#webhooks/webhooks.module';

/** REST reads and reports. */
export class QueryModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: QueryModule,
      imports: [
        PlatformModule.forRoot(config),
        ObservabilityModule,
        AuthModule,
        PracticeModule.for({ reads: true }),
        WebhooksModule.for({ reads: true }),
        ImportModule.for({ reads: true }),
        ReportingModule,
      ],
    };
  }
}
