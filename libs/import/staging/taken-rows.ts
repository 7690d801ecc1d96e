import type { ClientBase } from 'pg';

/** The part of a StagingArea that is needed here. */
interface Staging {
  readonly schema: string;
}

/** The uses of an import's rows. Only one session at a time has each use. */
export type Use = 'check' | 'read';

const USES: readonly Use[] = ['check', 'read'];

/**
 * Gives a session the exclusive use of an import's rows, and ends the session that had the use before. A frozen worker does
 * not know that it has lost the import: it could write among its successor's rows, or keep the tables locked. And a statement
 * of a worker that died may still be running.
 */
export async function takeRows(session: ClientBase, staging: Staging, use: Use): Promise<void> {
  await endUse(session, staging, use);
  await session.query('select pg_advisory_lock(hashtextextended($1, 0))', [nameOf(staging, use)]);
}

/** Ends every session that uses the rows. The caller must hold the import. */
export async function endUses(session: ClientBase, staging: Staging): Promise<void> {
  for (const use of USES) await endUse(session, staging, use);
}

async function endUse(session: ClientBase, staging: Staging, use: Use): Promise<void> {
  await session.query(
    `select pg_terminate_backend(pid, 10000) from pg_locks
     where locktype = 'advisory' and objsubid = 1 and granted and pid <> pg_backend_pid()
       and database = (select oid from pg_database where datname = current_database())
       and classid::bigint << 32 | objid::bigint = hashtextextended($1, 0)`,
    [nameOf(staging, use)],
  );
}

/** The lock's name. An earlier release, whose workers may run at the same time, used the schema's name alone. */
const nameOf = ({ schema }: Staging, use: Use) => (use === 'check' ? schema : `${schema} ${use}`);
