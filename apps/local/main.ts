import 'reflect-metadata';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { KafkaPublisher } from '#event-bus/kafka/kafka-publisher';
import { Housekeeping } from '#event-store/housekeeping';
import { Sealing } from '#event-store/seals/sealing';
import { ImportWorker } from '#import/import-worker';
import { PromotionWorker } from '#import/promotion/promotion-worker';
import { Config, ConfigError } from '#platform/config';
import { startEmbeddedPostgres } from '#platform/database/embedded-postgres';
import { serveApiDescription } from '#platform/http/openapi/serve-openapi';
import { runProcess } from '#platform/process/run-process';
import { loadOrCreateSecretsKey } from '#platform/secrets-key-file';
import { ContentStorage } from '#platform/storage/content-storage';
import { DocumentSweep } from '#practice/documents/document.sweep';
import { FollowedStore } from '#projections/followed-store';
import { ProjectionRunner } from '#projections/projection-runner';
import { ProjectionStatus } from '#projections/projection-status';
import { ReturningTenants } from '#projections/rebuild/returning-tenants';
import { UnfinishedRebuilds } from '#projections/rebuild/unfinished-rebuilds';
import { WebhooksWorker } from '#webhooks/webhooks-worker';
import { createDemo, introduction } from './demo';
import { LocalModule } from './local.module';

void runProcess({
  module: (config) => LocalModule.forRoot(config),
  prepare,
  made: async (app, config) => {
    serveApiDescription(app);
    await app.get(ContentStorage).requireWritable();
    await app.init();
    await app.get(FollowedStore).verify();
    if (config.NODE_ENV !== 'production') await createDemo(app);
    await app.get(KafkaPublisher).start();
    app.get(ProjectionRunner).start();
    app.get(Housekeeping).start();
    app.get(UnfinishedRebuilds).start();
    app.get(ReturningTenants).start();
    app.get(Sealing).start();
    app.get(DocumentSweep).start();
    app.get(WebhooksWorker).start();
    app.get(ImportWorker).start();
    app.get(PromotionWorker).start();
    // Waits for the read models, so that the first request of a new installation finds its tenant. Not for a long
    // backlog.
    await app.get(ProjectionStatus).settled(5_000);
  },
  listening: async (_app, config) => {
    if (config.NODE_ENV !== 'production') console.log(introduction(config.localUrl));
  },
});

/** Shuts down in order with exit code 1, so that a supervisor restarts the process together with its PostgreSQL. */
function fail(): void {
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
}

/** Supplies the embedded PostgreSQL and the key in DATA_DIR when the environment names none. */
async function prepare(given: Config) {
  const config = Object.assign(new Config(), given);
  let release = async () => {};
  const log = (line: string) => console.error(line);
  if (!config.DATABASE_URL || !config.SECRETS_KEY) {
    await mkdir(config.DATA_DIR, { recursive: true, mode: 0o755 }).catch((error: Error) => {
      throw new ConfigError([`DATA_DIR ${resolve(config.DATA_DIR)} cannot be used: ${error.message}`]);
    });
  }
  if (!config.DATABASE_URL) {
    const server = await startEmbeddedPostgres({ dataDir: config.DATA_DIR, log, lost: fail }).catch(
      (error: Error) => {
        throw new ConfigError([error.message]);
      },
    );
    config.DATABASE_URL = server.url;
    release = () => server.stop();
  }
  config.SECRETS_KEY ??= await loadOrCreateSecretsKey(config.DATA_DIR);
  return { config, release };
}
