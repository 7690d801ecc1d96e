import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#platform/database/embedded-postgres';
import { packageRoot } from '#platform/package-root';

export interface BenchServer {
  url(database: string): string;
  stop(): Promise<void>;
}

/**
 * A PostgreSQL server of the bench's own, as durable as in production: acknowledged writes are on disk.
 * @param kept a folder that keeps the data, perhaps from an earlier run; without it all data is deleted at the end
 */
export async function startBenchServer(kept?: string): Promise<BenchServer> {
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'practice-bench-'));
  const remove = kept === undefined ? removeAtTheEnd(dataDir) : undefined;
  if (kept === undefined)
    chmodSync(dataDir, 0o755); // as root the server runs as another user
  else mkdirSync(kept, { recursive: true });
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
      await remove?.();
    },
  };
}

/** Removes the folder when called. If the bench is interrupted, the server is stopped and the folder removed, too. */
function removeAtTheEnd(dataDir: string): () => Promise<void> {
  const cleaner = join(packageRoot(), 'test', 'support', 'remove-data-dir.cjs');
  const watcher = spawn(process.execPath, [cleaner, dataDir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  return async () => {
    watcher.stdin.end();
    await once(watcher, 'exit');
  };
}
