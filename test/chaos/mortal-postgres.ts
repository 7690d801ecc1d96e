import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/database/embedded-postgres';
import { runAs, usableBinaries } from '#platform/database/postgres-binaries';
import { clusterFolder } from '#platform/database/postgres-cluster';
import { dataRoot } from '../support/database-server';

/**
 * The data survives every crash of the server, because the operating system holds what was written; only a power cut
 * would lose it. So the server need not wait for the disk. With a disk that stalls for some seconds every connection
 * would be busy, and requests would fail although nothing in the test is to blame.
 */
const settings = { fsync: 'off', max_wal_size: '256MB' };

/** A PostgreSQL server of the test's own that can be killed and restarted on its port. */
export class MortalPostgres {
  private constructor(
    private readonly dataDir: string,
    private server: EmbeddedPostgres,
    private readonly cleaned: () => Promise<void>,
  ) {}

  static async start(): Promise<MortalPostgres> {
    const dataDir = mkdtempSync(join(dataRoot(), 'practice-chaos-'));
    chmodSync(dataDir, 0o755); // as root the server runs as another user
    // This process outlives a killed Jest. It then stops the server and removes the folder.
    const cleaner = spawn(process.execPath, [require.resolve('../support/remove-data-dir.cjs'), dataDir], {
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const cleaned = async () => {
      cleaner.stdin.end();
      await once(cleaner, 'exit');
    };
    try {
      return new MortalPostgres(dataDir, await launch(dataDir), cleaned);
    } catch (error) {
      await cleaned();
      throw error;
    }
  }

  get url(): string {
    return this.server.url;
  }

  /**
   * `pg_ctl stop -m immediate`: the server ends without a checkpoint and without closing its connections. Resolves when
   * it is gone.
   */
  async crash(): Promise<void> {
    const { folder, account } = clusterFolder(this.dataDir, silent);
    const pgCtl = join(usableBinaries(account, silent), 'bin', 'pg_ctl');
    const stop = ['stop', '--pgdata', join(folder, 'data'), '--mode=immediate', '--wait'];
    await promisify(execFile)(pgCtl, stop, runAs(account));
  }

  /** Restarts the server, which recovers from its log. @throws when its port was taken meanwhile */
  async restart(): Promise<void> {
    const { url } = this;
    this.server = await launch(this.dataDir);
    if (this.url !== url) throw new Error(`PostgreSQL's port was taken: it is at ${this.server.port} now`);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.cleaned();
  }
}

const launch = (dataDir: string) => startEmbeddedPostgres({ dataDir, settings, log: silent });

/** Ignores the message that the server stopped unexpectedly: the test wanted that. */
function silent(): void {}
