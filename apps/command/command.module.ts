import type { DynamicModule } from '@nestjs/common';
import { ImportModule } from '#import/import.module';
import { TokenModule } from '#platform/auth/auth.module';
import type { Config } from '#platform/config';
import { ObservabilityModule } from '#platform/observability/observability.module';
import { PlatformModule } from '#platform/platform.module';
import { PracticeModule } from '#practice/practice.module';
import { WebhooksModule } from '#webhooks/webhooks.module';

/** REST writes and the token endpoint. */
export class CommandModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: CommandModule,
      imports: [
        PlatformModule.forRoot(config),
        ObservabilityModule.withoutReadModels(),
        TokenModule,
        PracticeModule.for({ writes: true }),
        WebhooksModule.for({ writes: true }),
        ImportModule.for({ writes: true }),
      ],
    };
  }
}
