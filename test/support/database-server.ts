import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../libs/platform/database/embedded-postgres';
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

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';
/** In bytes: many times what the databases of a run have at once. */
const ROOM = 4 * 2 ** 30;

/** A PostgreSQL of this run's own in a fresh folder, and how to stop it and remove the folder. */
export async function startDatabaseServer(): Promise<{ url: string; stop(): Promise<void> }> {
  removeLeftovers();
  const dataDir = mkdtempSync(join(dataRoot(), `${prefix}${process.pid}-`));
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

/**
 * In memory where there is room: every database that is made or dropped, and every new generation of a read model, is
 * hundreds of files, for which a file system on disk may look long. ext4 without a journal does: it passes by the numbers
 * of all files that were removed in the last minutes, one by one.
 */
export function dataRoot(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, freemem()) >= ROOM ? MEMORY : tmpdir();
}

/** Folders of runs that were killed together with their watcher. */
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
