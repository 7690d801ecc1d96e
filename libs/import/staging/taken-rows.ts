import type { ClientBase } from 'pg';

/** A staging area. */
interface Staging {
  readonly schema: string;
}

/** What a session does with the rows of an import: one at a time does each. */
export type Use = 'check' | 'read';

const USES: readonly Use[] = ['check', 'read'];

/**
 * The session's own from now on, for one use. A worker that stood still does not know yet that it has lost the import, and
 * would write among the rows of whoever has it now, or keep its tables from being altered, for as long as it stands still;
 * what it had the database do before it died may be under way still. Its session is ended.
 */
export async function takeRows(session: ClientBase, staging: Staging, use: Use): Promise<void> {
  await endUse(session, staging, use);
  await session.query('select pg_advisory_lock(hashtextextended($1, 0))', [nameOf(staging, use)]);
}

/** Ends every session that uses the rows; whoever asks for it must have the import. */
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

/** A release before had no name for the first use: its workers may run beside these. */
const nameOf = ({ schema }: Staging, use: Use) => (use === 'check' ? schema : `${schema} ${use}`);
