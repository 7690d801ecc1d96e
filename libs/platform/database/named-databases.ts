import { type Config, ConfigError } from '../config';
import { withClient } from './connection';
import { toldOf } from './database-refusal';
import { type Announce, type MigrationSet, migrate } from './migrate';

/** The contents of a database, as far as the role may see them. */
interface Contents {
  hasEventTables: boolean;
  hasReadModels: boolean;
  /** The id of the installation whose events the database holds; undefined while it holds none. */
  eventsOf?: string;
}

/**
 * Applies the outstanding migrations to the databases of DATABASE_URL and READ_DATABASE_URL. It refuses when one of
 * them is mistaken for the other, or is another installation's: the service would begin anew in it, or overwrite what
 * others read.
 * @param sets the sets that the process needs; it does not connect to a database for other sets
 * @returns the names of the files that were applied
 * @throws ConfigError that says which variable is wrong, before anything is written
 */
export async function migrateDatabases(
  config: Config,
  sets: readonly MigrationSet[] = ['write', 'read'],
  announce?: Announce,
): Promise<Record<MigrationSet, string[]>> {
  await requireOwnDatabases(config, sets);
  const applied: Record<MigrationSet, string[]> = { write: [], read: [] };
  for (const set of sets) applied[set] = await at(config, set, (url) => migrate(url, set, announce));
  return applied;
}

/** @throws ConfigError as migrateDatabases does */
export async function requireOwnDatabases(
  config: Config,
  sets: readonly MigrationSet[] = ['write', 'read'],
): Promise<void> {
  const hasOwnReads = config.READ_DATABASE_URL && sets.includes('read');
  // The read models come first: where both databases are one, events that others write before the second look are in
  // the store, too.
  const reads = hasOwnReads ? await at(config, 'read', contentsOf) : undefined;
  const store = await at(config, 'write', contentsOf);
  if (store.hasReadModels && !store.hasEventTables)
    throw new ConfigError([
      'DATABASE_URL is a database of read models alone, without events: is it in the place of READ_DATABASE_URL?',
    ]);
  if (reads?.eventsOf && reads.eventsOf !== store.eventsOf)
    throw new ConfigError([
      'READ_DATABASE_URL is a database with events, which are not those of DATABASE_URL but of another installation',
    ]);
}

function at<Result>(
  config: Config,
  set: MigrationSet,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  if (!config.READ_DATABASE_URL) return work(config.databaseUrl);
  return set === 'write'
    ? toldOf('DATABASE_URL', work(config.databaseUrl))
    : toldOf('READ_DATABASE_URL', work(config.readDatabaseUrl));
}

async function contentsOf(url: string): Promise<Contents> {
  // Without a time limit: a migration that another process is running may have locked the events.
  return withClient(url, async (client) => {
    const { rows } = await client.query<Contents & { isReadable: boolean }>(
      `select to_regnamespace('event_store') is not null as "hasEventTables",
         to_regnamespace('read_model') is not null as "hasReadModels",
         (select count(*) = 2 from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where (n.nspname, c.relname) in (('platform', 'installation'), ('event_store', 'events'))
            and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')) as "isReadable"`,
    );
    const [{ isReadable, ...contents }] = rows;
    // A role for the read models may not be allowed to see the events of a database that holds both.
    if (!isReadable) return contents;
    const installed = await client.query<{ id: string }>(
      'select id from platform.installation where exists (select from event_store.events)',
    );
    return { ...contents, eventsOf: installed.rows[0]?.id };
  });
}
