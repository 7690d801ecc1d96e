import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from '#kernel/clock';
import { ensureInstallation, Installation } from './auth/installation';
import { Config } from './config';
import { ReadDatabase, WriteDatabase } from './database';
import { Health } from './observability/health';
import { Secrets } from './secrets';

/** What every process shares: configuration, clock, pools, secrets, and which installation this is. */
@Global()
@Module({})
export class PlatformModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: PlatformModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: Clock, useClass: SystemClock },
        { provide: Secrets, useFactory: () => new Secrets(config.secretsKey) },
        WriteDatabase,
        ReadDatabase,
        Health,
        {
          provide: Installation,
          useFactory: (database: WriteDatabase) => ensureInstallation(database.pool, config),
          inject: [WriteDatabase],
        },
      ],
      exports: [Config, Clock, Health, Secrets, WriteDatabase, ReadDatabase, Installation],
    };
  }
}
