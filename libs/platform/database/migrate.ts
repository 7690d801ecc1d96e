import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import knex, { type Knex } from 'knex';
import { packageRoot } from '../package-root';
import { bareConnectionTo, connectionTo, withClient } from './connection';
import { outdated } from './postgres-version';

export type MigrationSet = 'write' | 'read';

/** Is told the names of the files that are about to be applied; some of them may take minutes on large tables. */
export type Announce = (set: MigrationSet, files: readonly string[]) => void;

/** The numbered SQL files of a folder; the file name is the migration's key. */
class SqlFiles implements Knex.MigrationSource<string> {
  constructor(private readonly folder: string) {}

  async getMigrations(): Promise<string[]> {
    return (await readdir(this.folder)).filter((name) => name.endsWith('.sql')).sort();
  }

  getMigrationName(name: string): string {
    return name;
  }

  async getMigration(name: string): Promise<Knex.Migration> {
    const sql = await readFile(join(this.folder, name), 'utf8');
    return {
      // knex reads a bare ? as a placeholder, also without bindings
      up: async (trx) => {
        try {
          await trx.raw(sql.replaceAll('?', '\\?'));
        } catch (cause) {
          throw new MigrationError(`Migration ${join(this.folder, name)} failed: ${reasonOf(cause)}`, {
            cause,
          });
        }
      },
      down: () => Promise.reject(new Error('Migrations only go forward: they expand, then contract.')),
    };
  }
}

/** The reason why a database cannot be brought up to date, in one line. */
export class MigrationError extends Error {}

/** The message of an error without the statement, which knex puts before it: here a file's worth of SQL. */
export const reasonOf = (error: unknown) => (error as Error).message.split(' - ').at(-1)!;

/**
 * Applies the migrations of a set that a database has not seen yet, each file in a transaction of its own. Processes
 * that start at the same time wait for each other.
 * @param announce called once, unless nothing is outstanding
 * @param folder the folder with the set's files
 * @returns the names of the files that were applied, in order
 * @throws MigrationError that names the file that failed; files before it stay applied. When PostgreSQL is too old, the
 * error says so, and nothing is applied
 */
export async function migrate(
  url: string,
  set: MigrationSet,
  announce: Announce = () => {},
  folder = join(packageRoot(), 'migrations', set),
): Promise<string[]> {
  const fault = outdated(await versionOf(url));
  if (fault) throw new MigrationError(fault);
  const source = new SqlFiles(folder);
  const tableName = `migrations_${set}`;
  const lockKey = tableName;
  const db = knex({
    client: 'pg',
    log: { warn() {} }, // a failed migration's error is thrown as well
    connection: connectionTo(url),
    pool: { min: 0, max: 2 },
    migrations: {
      migrationSource: source,
      schemaName: 'public',
      tableName,
      // The database may have files that only a newer program knows. That is no fault: during a rolling update and
      // after a rollback, the older program starts too.
      disableMigrationsListValidation: true,
    },
  });
  try {
    if (!(await isLost(db, set)) && (await isUpToDate(db, tableName, source))) return [];
    return await db.transaction(async (lock) => {
      await lock.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [lockKey]);
      // The advisory lock excludes other processes, so knex's own lock row can only be that of a killed process.
      await db.migrate.forceFreeMigrationsLock();
      if (await isLost(db, set)) await db.schema.withSchema('public').dropTableIfExists(tableName);
      const [, outstanding] = await db.migrate.list();
      if (outstanding.length > 0) announce(set, outstanding);
      const applied: string[] = [];
      for (;;) {
        const [, [name]] = await db.migrate.up(); // latest() would put all files into one transaction
        if (!name) return applied;
        applied.push(name);
      }
    });
  } finally {
    await db.destroy();
  }
}

/**
 * Whether the tables of a set are gone, so that a record of its files says nothing. The read models may be left out of a
 * backup; the record is not in their schema.
 */
async function isLost(db: Knex, set: MigrationSet): Promise<boolean> {
  if (set === 'write') return false;
  const { rows } = await db.raw<{ rows: { lost: boolean }[] }>(
    `select to_regnamespace('read_model') is null as lost`,
  );
  return rows[0].lost;
}

/** Whether a database has seen all files. It is only read, so that processes can start on a standby. */
async function isUpToDate(db: Knex, tableName: string, source: SqlFiles): Promise<boolean> {
  if (!(await db.schema.withSchema('public').hasTable(tableName))) return false;
  const seen = new Set(await db.withSchema('public').from(tableName).pluck('name'));
  return (await source.getMigrations()).every((name) => seen.has(name));
}

/** The server's version as PostgreSQL numbers it: 180001. */
async function versionOf(url: string): Promise<number> {
  const ask = "select current_setting('server_version_num')::int as version";
  const { rows } = await withClient(
    url,
    (client) => client.query<{ version: number }>(ask),
    bareConnectionTo(url),
  );
  return rows[0].version;
}
