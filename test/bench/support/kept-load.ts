import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#platform/package-root';
import { projections } from '#practice/areas';
import type { Credentials } from '../../support/client';
import { execute } from '../../support/database';
import type { BenchServer } from './bench-server';

/** Notes about a load, kept in the same database. */
export interface LoadNote {
  secretsKey: string;
  credentials: Credentials;
}

/** How a database is filled. */
export interface Load {
  /** Identifies what is loaded. When it differs, everything is loaded again. */
  made: string;
  /** Fills the existing, empty database. */
  load(): Promise<LoadNote>;
  /** Migrates a load and rebuilds its read models. Where this is missing, everything is loaded again. */
  renew?(note: LoadNote): Promise<void>;
}

interface Kept {
  made: string;
  /** A digest of the migrations and of the versions of the read models. */
  form: string;
  note: LoadNote;
}

/** The load that the server has kept in the database; otherwise a new one. */
export async function keptLoad(
  server: BenchServer,
  database: string,
  { made, load, renew }: Load,
): Promise<LoadNote> {
  const url = server.url(database);
  const form = presentForm();
  const kept = await keptIn(server, database);
  if (kept?.made === made) {
    if (kept.form === form) return kept.note;
    if (renew) {
      await renew(kept.note);
      await execute(url, 'update bench.load set form = $1', [form]);
      return kept.note;
    }
  }
  await execute(server.url('postgres'), `drop database if exists ${database}`);
  await execute(server.url('postgres'), `create database ${database}`);
  const note = await load();
  await execute(url, 'create schema bench');
  await execute(url, 'create table bench.load (made text not null, form text not null, note jsonb not null)');
  await execute(url, 'insert into bench.load values ($1, $2, $3)', [made, form, note]);
  return note;
}

function presentForm(): string {
  const hash = createHash('sha256');
  for (const set of ['write', 'read']) {
    const folder = join(packageRoot(), 'migrations', set);
    for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(join(folder, file)));
  }
  for (const { name, version } of projections) hash.update(`${name} ${version}`);
  return hash.digest('hex');
}

/** Undefined unless the server has kept a complete load. */
async function keptIn(server: BenchServer, database: string): Promise<Kept | undefined> {
  const databases = await execute(server.url('postgres'), 'select from pg_database where datname = $1', [
    database,
  ]);
  if (databases.length === 0) return undefined;
  const url = server.url(database);
  const [{ table }] = await execute<{ table: string | null }>(
    url,
    `select to_regclass('bench.load')::text as table`,
  );
  if (table === null) return undefined;
  const [kept] = await execute<Kept>(url, 'select * from bench.load');
  return kept;
}
