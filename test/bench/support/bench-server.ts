import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#platform/embedded-postgres';
import { removeDataDir } from '../../support/remove-data-dir.cjs';

/** A PostgreSQL of the bench's own, as durable as in production: what is acknowledged is on disk. */
export async function startBenchServer(): Promise<{ url(database: string): string; stop(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'practice-bench-'));
  chmodSync(dataDir, 0o755); // as root the server runs as another user
  const server = await startEmbeddedPostgres({
    dataDir,
    log: (line) => process.stderr.write(`${line}\n`),
    settings: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', max_wal_size: '4GB' },
  });
  return {
    url(database) {
      const url = new URL(server.url);
      url.pathname = database;
      return url.href;
    },
    async stop() {
      await server.stop();
      removeDataDir(dataDir);
    },
  };
}
