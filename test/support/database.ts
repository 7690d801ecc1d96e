import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

export type TestDatabase = {
  url: string;
  /** @throws after it was dropped, when connections to it are still open: a test must close its pools first */
  drop(): Promise<void>;
};

/** A new, migrated database for a test, cloned from the run's template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { TEST_SERVER_URL: server, TEST_TEMPLATE: template } = process.env;
  if (!server || !template)
    throw new Error('Only tests named *.int.spec.ts and *.e2e.spec.ts have a database');

  const name = `practice_test_${randomBytes(8).toString('hex')}`;
  await clone(server, template, name);
  const url = new URL(server);
  url.pathname = name;
  return {
    url: url.href,
    async drop() {
      const open = await openConnections(server, name);
      await execute(server, `DROP DATABASE ${name} WITH (FORCE)`);
      if (open.length)
        throw new Error(`${open.length} connections were left open; their last queries: ${open.join('; ')}`);
    },
  };
}

/** Runs one statement on its own connection. */
export async function execute<Row extends object>(
  url: string,
  sql: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Copies the template's files. PostgreSQL's other way, block by block through its log, takes more than twice the CPU
 * time.
 */
async function clone(server: string, template: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await execute(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
      return;
    } catch (error) {
      // object_in_use: an autovacuum worker, or the migration's connection, which is just closing
      if ((error as { code?: string }).code !== '55006' || attempt === 20) throw error;
      await delay(250);
    }
  }
}

/** How long connections of a closed pool may take to end, which can be long on a busy machine. */
const CLOSE_MS = 60_000;

/** Waits for connections to end. @returns the last queries of those that do not */
async function openConnections(server: string, name: string): Promise<string[]> {
  const deadline = Date.now() + CLOSE_MS;
  for (;;) {
    const rows = await execute<{ query: string }>(
      server,
      `SELECT query FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
      [name],
    );
    if (rows.length === 0 || Date.now() > deadline) return rows.map((row) => row.query);
    await delay(20);
  }
}
