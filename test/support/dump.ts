import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { execute } from './database';

const run = promisify(execFile);

/** Dumps a database with pg_dump and its options, as SQL that creates it again in an empty one. */
export async function dumpDatabase(url: string, ...options: string[]): Promise<string> {
  const args = [require.resolve('./pg-dump.cjs'), url, ...options];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 1024 ** 3 });
  return stdout;
}

/** Replaces the contents of a database by a dump. */
export async function restoreDatabase(url: string, dump: string): Promise<void> {
  const [{ schemas }] = await execute<{ schemas: string }>(
    url,
    `select string_agg(quote_ident(nspname), ', ') as schemas from pg_namespace
     where nspname !~ '^pg_' and nspname <> 'information_schema'`,
  );
  await execute(url, `drop schema ${schemas} cascade; create schema public`);
  await execute(url, dump);
}
