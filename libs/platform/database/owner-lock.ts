import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

/** An arbitrary number. The process that holds this advisory lock uses the data folder of the server. */
const OWNER_LOCK = 7263548;
/** Errors of a server that is starting: the connection is refused or closed; 57P03 is cannot_connect_now. */
const NOT_YET_UP = new Set(['ECONNREFUSED', 'ECONNRESET', '57P03']);

/**
 * Connects as soon as the server accepts connections, and takes the owner's lock, which ends with the connection and so
 * with the process. Undefined when the server stops before it accepts a connection.
 * @throws when another process has the lock
 */
export async function claim(url: string, isUp: () => boolean): Promise<Client | undefined> {
  while (isUp()) {
    const client = new Client({ connectionString: url, keepAlive: true });
    client.on('error', () => {}); // `end` follows, and the exit of the server is reported where it is watched
    try {
      await client.connect();
    } catch (error) {
      if (!NOT_YET_UP.has((error as { code?: string }).code ?? '')) throw error;
      await delay(50);
      continue;
    }
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [OWNER_LOCK]);
    if (rows[0].taken) return client;
    await client.end();
    throw new Error('another running process uses it: stop that one, or set another DATA_DIR');
  }
  return undefined;
}

/**
 * The owner's lock of a server that is running. It ends with its connection, which ends when one of the server's
 * processes crashes or somebody ends all sessions: then it is taken again.
 */
export class OwnerLock {
  private isReleased = false;

  constructor(
    private owner: Client,
    private readonly url: string,
    private readonly isUp: () => boolean,
    private readonly log: (line: string) => void,
  ) {
    this.watch();
  }

  private watch(): void {
    this.owner.once('end', () => {
      if (!this.isReleased)
        void this.takeAgain().catch((error) => this.log(`PostgreSQL is not protected: ${error.message}`));
    });
  }

  private async takeAgain(): Promise<void> {
    const owner = await claim(this.url, this.isUp);
    if (!owner) return;
    this.owner = owner;
    if (this.isReleased) await owner.end();
    else this.watch();
  }

  async release(): Promise<void> {
    this.isReleased = true;
    await this.owner.end();
  }
}
