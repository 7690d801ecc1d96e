import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { STANDING_STILL } from './connection';

/** How long to wait for a table that somebody else looks at, and how long to leave him alone before the next try. */
const ALONE_MS = 100;
const APART_MS = 1_000;
/** Of a transaction that may not wait, and so fails: that it holds nobody up. */
export const BRIEFLY = `set local lock_timeout = ${ALONE_MS}`;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * How long another try waits. PostgreSQL ends an autovacuum for whoever has waited for its table for `deadlock_timeout`,
 * and for nobody before: while a table of the database is being vacuumed it is a little longer than that.
 */
const nextTry = (scope: 'session' | 'local') => `
  select set_config('lock_timeout', (case when exists (
      select from pg_locks where mode = 'ShareUpdateExclusiveLock' and granted and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database()))
    then setting::int + 500 else ${ALONE_MS} end)::text, ${scope === 'local'})
  from pg_settings where name = 'deadlock_timeout'`;

/**
 * Runs, outside of a transaction, what needs a table for itself, once nobody looks at it: a dump may for hours. Whoever
 * waits for that has a transaction id already, and every reader of the feed waits behind it; so it is waited for a
 * little at a time.
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
 * The same of a transaction, which is undone and done anew, all of it, until nobody looks at the tables that it needs.
 * @param goOn throws why it is not to be tried once more
 */
export async function transactionAlone(
  client: ClientBase,
  work: () => Promise<void>,
  goOn: () => void = () => undefined,
): Promise<void> {
  await patiently(async (isFirst) => {
    await client.query(`begin; ${STANDING_STILL}; ${isFirst ? BRIEFLY : nextTry('local')}`);
    try {
      await work();
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  }, goOn);
}

async function patiently(
  work: (isFirst: boolean) => Promise<void>,
  goOn: () => void = () => undefined,
): Promise<void> {
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
