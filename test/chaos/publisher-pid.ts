import { execute } from '../support/database';

/** The id of the process that publishes. It is part of the name of the session that holds the publisher's locks. */
export async function publisherPid(url: string): Promise<number> {
  const rows = await execute<{ pid: number }>(
    url,
    `select substring(application_name from '\\d+$')::int as pid
     from pg_stat_activity join pg_locks using (pid)
     where datname = current_database() and application_name like 'practice publisher locks %'
       and locktype = 'advisory' and granted
     group by 1 order by count(*) desc limit 1`,
  );
  if (rows.length === 0) throw new Error('Nobody publishes');
  return rows[0].pid;
}
