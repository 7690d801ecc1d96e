import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#platform/embedded-postgres';
import { packageRoot } from '#platform/package-root';

/** A PostgreSQL of the bench's own, as durable as in production: what is acknowledged is on disk. */
export async function startBenchServer(): Promise<{ url(database: string): string; stop(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'practice-bench-'));
  chmodSync(dataDir, 0o755); // as root the server runs as another user
  // It outlives a bench that is interrupted, and then stops the server and removes the folder.
  const cleaner = join(packageRoot(), 'test', 'support', 'remove-data-dir.cjs');
  const watcher = spawn(process.execPath, [cleaner, dataDir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
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
      watcher.stdin.end();
      await once(watcher, 'exit');
    },
  };
}
