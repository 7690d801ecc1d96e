import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../libs/platform/database/embedded-postgres';
import { removeDataDir } from './remove-data-dir.cjs';

const prefix = 'practice-test-';

/**
 * Settings for databases that live for one run: nothing needs to survive a power cut. There are few buffers, because
 * dropping a database scans all of them.
 */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'on',
  // Autovacuum has to look at hundreds of databases.
  autovacuum_naptime: '1min',
  shared_buffers: '256MB',
  max_connections: '400',
};

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';
/** In bytes: many times the greatest size of a run's databases. */
const ROOM = 4 * 2 ** 30;

/**
 * Starts a PostgreSQL server for this run in a new folder. @returns its URL, and how to stop it and remove the folder
 */
export async function startDatabaseServer(): Promise<{ url: string; stop(): Promise<void> }> {
  removeLeftovers();
  const dataDir = mkdtempSync(join(dataRoot(), `${prefix}${process.pid}-`));
  chmodSync(dataDir, 0o755); // as root the server runs as another user
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const server = await startEmbeddedPostgres({ dataDir, settings, log });

  // This process outlives a killed Jest. It then stops the server and removes the folder.
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

/**
 * The folder for the server's data: in memory if there is room. Every new or dropped database, and every new generation
 * of a read model, means hundreds of files, which can be slow on disk. For example, ext4 without a journal skips the
 * numbers of all files that were removed in the last minutes, one by one.
 */
export function dataRoot(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, freemem()) >= ROOM ? MEMORY : tmpdir();
}

/** Removes the folders of runs that were killed together with their watcher. */
function removeLeftovers(): void {
  for (const root of [MEMORY, tmpdir()].filter(existsSync))
    for (const name of readdirSync(root)) {
      const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : undefined;
      if (pid && !isAlive(pid)) removeDataDir(join(root, name));
    }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
