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

/**
 * The services that every process shares: configuration, clock, pools, secrets, and the identity of the installation.
 */
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
              // Nest shuts down nothing of an application that it could not create, and open connections would keep the
              // process alive.
              await database.onApplicationShutdown();
              throw error;
            }),
          inject: [WriteDatabase, Secrets],
        },
        {
          provide: ContentStorage,
          // Each installation has a folder of its own: so the sweep of one never finds the documents of another.
          useFactory: ({ id }: Installation, clock: Clock) =>
            new FolderStorage(join(config.documentsDir, id), clock),
          inject: [Installation, Clock],
        },
      ],
      exports: [Config, Clock, Health, Secrets, WriteDatabase, ReadDatabase, Installation, ContentStorage],
    };
  }
}
