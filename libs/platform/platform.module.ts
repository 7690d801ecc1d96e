import { join } from 'node:path';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from '#kernel/clock';
import { ensureInstallation, Installation } from './auth/installation';
import { Config } from './config';
import { ReadDatabase, WriteDatabase } from './database';
import { Health } from './observability/health';
import { Secrets } from './secrets';
import { ContentStorage } from './storage/content-storage';
import { FolderStorage } from './storage/folder-storage';

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
        { provide: Secrets, useFactory: () => new Secrets(config.secretsKey, config.secretsKeysAccepted) },
        WriteDatabase,
        ReadDatabase,
        Health,
        {
          provide: Installation,
          useFactory: (database: WriteDatabase, secrets: Secrets) =>
            ensureInstallation(database.pool, config, secrets).catch(async (error) => {
              // Nest ends nothing of an application that it could not make: connections would keep a process alive.
              await database.onApplicationShutdown();
              throw error;
            }),
          inject: [WriteDatabase, Secrets],
        },
        {
          provide: ContentStorage,
          // A folder of each installation's own: the sweep of one never meets the documents of another.
          useFactory: ({ id }: Installation, clock: Clock) =>
            new FolderStorage(join(config.documentsDir, id), clock),
          inject: [Installation, Clock],
        },
      ],
      exports: [Config, Clock, Health, Secrets, WriteDatabase, ReadDatabase, Installation, ContentStorage],
    };
  }
}
