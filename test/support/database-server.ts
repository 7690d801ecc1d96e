import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../libs/platform/embedded-postgres';
import { removeDataDir } from './remove-data-dir.cjs';

const prefix = 'practice-test-';

/**
 * Settings for databases that live for one run: nothing needs to survive a power cut. Whenever one is dropped all of the
 * buffers are gone through, so there are few.
 */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'on',
  // There are hundreds of databases to look at.
  autovacuum_naptime: '1min',
  shared_buffers: '256MB',
  max_connections: '400',
};

/** A PostgreSQL of this run's own in a fresh folder, and how to stop it and remove the folder. */
export async function startDatabaseServer(): Promise<{ url: string; stop(): Promise<void> }> {
  removeLeftovers();
  const dataDir = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  chmodSync(dataDir, 0o755); // as root the server runs as another user
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const server = await startEmbeddedPostgres({ dataDir, settings, log });

  // It outlives us when Jest is killed, and then stops the server and removes the folder.
  const watcher = spawn(process.execPath, [require.resolve('./remove-data-dir.cjs'), dataDir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      watcher.stdin.end();
      await once(watcher, 'exit');
    },
  };
}

/** Folders of runs that were killed together with their watcher. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : undefined;
    if (pid && !isAlive(pid)) removeDataDir(join(tmpdir(), name));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
