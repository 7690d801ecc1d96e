import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { Secrets } from '#platform/secrets';
import { definitions } from '#practice/areas';
import { createContext, createTestStore } from '../../../test/support/store';
import type { TdsOptions } from '../../../test/support/tds/tds-options';
import { TdsServer } from '../../../test/support/tds/tds-server';
import { SourceHosts } from '../connection/source-hosts';
import { Sources } from '../connection/sources';
import { Extraction } from '../extraction/extraction';
import { ImportSettings } from '../import-settings';
import { ImportRequests } from '../requests/import-requests';
import { ImportTurn } from '../requests/import-turn';
import { tables } from '../schema/schema-1.0';
import { StagingArea } from '../staging/staging-area';
import { stageSource } from './staged-source';

/**
 * Small chunks and short waits: a lease that nobody renews ends after half a second. The time after which a server
 * counts as silent is as long as a busy machine needs.
 */
export const quick: Partial<ImportSettings> = {
  leaseMs: 500,
  heartbeatMs: 50,
  pollMs: 20,
  stallMs: 20_000,
  retryMs: 1,
  chunkRows: 500,
  chunkMs: 60_000,
};

/** Opens a store with a tenant, a source in the same database behind TDS, and workers that read the source. */
export async function openExtraction(options: Partial<TdsOptions> = {}) {
  const store = await createTestStore(definitions);
  const folder = await mkdtemp(join(tmpdir(), 'practice-import-'));
  const source = await TdsServer.start({ database: store.url, ...options });
  const secrets = new Secrets(store.config.secretsKey);
  await writeFile(join(folder, 'ca.pem'), source.caCertificate);
  Object.assign(store.config, { IMPORT_ALLOWED: '127.0.0.0/8,::1', IMPORT_CA_FILE: join(folder, 'ca.pem') });
  const client = new Client(store.url);
  await client.connect();
  const { tenant } = await createContext(store);

  const requestsWith = (settings: ImportSettings) => new ImportRequests(store.writes, settings);
  const settingsOf = (given: Partial<ImportSettings>) => Object.assign(new ImportSettings(), quick, given);
  const turns: ImportTurn[] = [];
  return {
    store,
    source,
    client,
    tenant,
    secrets,

    /** Queues an import. @returns its id */
    async queue(connectionString = source.connectionString()): Promise<string> {
      const id = randomUUID();
      await client.query(
        `insert into import.requests (id, tenant_id, message, connection, requested_by, queued_at, updated_at)
         values ($1, $2, 'Waiting', $3, 'integration:test', now(), now())`,
        [id, tenant.id, secrets.seal(connectionString)],
      );
      return id;
    },

    /** Has another worker take the first import of the queue. */
    async take(given: Partial<ImportSettings> = {}) {
      const settings = settingsOf(given);
      const requests = requestsWith(settings);
      const worker = randomUUID();
      const taken = await requests.take(worker);
      if (!taken) return undefined;
      const log = new Logger();
      const turn = new ImportTurn(taken, { worker, requests, log });
      turns.push(turn);
      const sources = new Sources(new SourceHosts(store.config), store.config, settings);
      const extraction = new Extraction(sources, requests, store.writes, secrets, settings);
      return { turn, requests, run: () => extraction.run(turn) };
    },

    /** Ends all imports of the tenant, so that another one may be queued. */
    async finish(): Promise<void> {
      for (const turn of turns.splice(0)) await turn.close();
      await client.query(
        `update import.requests set status = 'Failed', leased_by = null where status not in ('Validated', 'Cancelled')`,
      );
    },

    /** Names of the tables whose staged rows differ from the source. */
    async differing(requestId: string): Promise<string[]> {
      const [staged, wanted] = [new StagingArea(requestId), new StagingArea(randomUUID())];
      await stageSource(client, wanted);
      const differing: string[] = [];
      for (const table of tables) {
        const [ours, theirs] = [staged.table(table.name), wanted.table(table.name)];
        const { rows } = await client.query(
          `(table ${ours} except all table ${theirs}) union all (table ${theirs} except all table ${ours})`,
        );
        if (rows.length > 0) differing.push(`${table.name}: ${rows.length}`);
      }
      await wanted.drop(client);
      return differing;
    },

    async close(): Promise<void> {
      for (const turn of turns) await turn.close();
      await client.end();
      source.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

export type ExtractionParts = Awaited<ReturnType<typeof openExtraction>>;
