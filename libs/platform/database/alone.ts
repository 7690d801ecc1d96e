import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { STANDING_STILL } from './connection';

/** How long to wait for a table that another session uses, and how long to stay away from it before the next try. */
const ALONE_MS = 100;
const APART_MS = 1_000;
/** Makes a transaction fail rather than wait for a lock, so that it holds up no one. */
export const BRIEFLY = `set local lock_timeout = ${ALONE_MS}`;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * The statement that sets how long a further try waits. PostgreSQL ends an autovacuum only for a session that has
 * waited for its table for `deadlock_timeout`: while a table of the database is being vacuumed, the try waits a little
 * longer than that.
 */
const nextTry = (scope: 'session' | 'local') => `
  select set_config('lock_timeout', (case when exists (
      select from pg_locks where mode = 'ShareUpdateExclusiveLock' and granted and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database()))
    then setting::int + 500 else ${ALONE_MS} end)::text, ${scope === 'local'})
  from pg_settings where name = 'deadlock_timeout'`;

/**
 * Runs, outside a transaction, a statement that needs a table for itself, once no other session uses the table; a dump
 * may use it for hours. A session that waits for a table has a transaction id already, and every reader of the feed
 * waits behind it. So it waits only briefly at a time.
 */
export async function alone(client: ClientBase, sql: string): Promise<void> {
  await patiently(async (isFirst) => {
    await client.query(isFirst ? `set lock_timeout = ${ALONE_MS}` : nextTry('session'));
    try {
      await client.query(sql);
    } finally {
      await client.query('reset lock_timeout').catch(() => undefined);
    }
  });
}

/**
 * Does the same for a transaction: it is rolled back and repeated as a whole, until no other session uses its tables.
 * @param goOn throws the reason if there is to be no further try
 */
export async function transactionAlone<Result>(
  client: ClientBase,
  work: () => Promise<Result>,
  goOn: () => void = () => undefined,
): Promise<Result> {
  return patiently(async (isFirst) => {
    await client.query(`begin; ${STANDING_STILL}; ${isFirst ? BRIEFLY : nextTry('local')}`);
    try {
      const result = await work();
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  }, goOn);
}

async function patiently<Result>(
  work: (isFirst: boolean) => Promise<Result>,
  goOn: () => void = () => undefined,
): Promise<Result> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await work(isFirst);
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    }
    goOn();
    await delay(APART_MS);
    goOn();
  }
}
