import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '#platform/migrate';
import { packageRoot } from '#platform/package-root';
import { areas } from '#practice/areas';
import { live } from '#projections/live';
import type { Credentials } from '../../support/client';
import { execute } from '../../support/database';
import { type RunningApp, startApp } from '../../support/process';
import { waitFor } from '../../support/wait-for';
import type { BenchServer } from './bench-server';
import { cli, createTenants } from './firm';

const DATABASE = 'reports';
const COPY = 'reports_copy';
const YEARS = 5;
const CATCH_UP_MS = 3 * 3_600_000;
/** The tenant that is asked, and one beside it in the same tables with a tenth of the work items. */
export const BIG = 'big';
const TENANTS = [
  { alias: BIG, part: 1 },
  { alias: 'small', part: 10 },
];

/** What is known of a load, kept in the database beside it. */
interface Note {
  /** Of what made it: items, migrations, read models. */
  digest: string;
  secretsKey: string;
  credentials: Credentials;
}

export interface Loaded {
  /** Of every process over it. */
  env: Record<'DATABASE_URL' | 'SECRETS_KEY' | 'LOG_LEVEL', string>;
  credentials: Credentials;
  tenantId: number;
  /** Of that tenant, deleted ones too. */
  items: number;
}

/** Two firms as `demo load` makes them, in their read models: loaded now, or those that the server still has. */
export async function loadReports(server: BenchServer, items: number): Promise<Loaded> {
  const digest = digestOf(items);
  const note = (await keptNote(server, digest)) ?? (await load(server, items, digest));
  const env = environment(server, note.secretsKey);
  const [{ id }] = await execute<{ id: number }>(
    env.DATABASE_URL,
    'select id from platform.tenants where alias = $1',
    [BIG],
  );
  return { env, credentials: note.credentials, tenantId: id, items };
}

/** A copy of the database, to which nothing may be connected meanwhile. */
export async function copyReports(server: BenchServer): Promise<{ url: string; drop(): Promise<void> }> {
  const maintenance = server.url('postgres');
  const drop = async () => {
    await execute(maintenance, `drop database if exists ${COPY}`);
  };
  await drop();
  await execute(maintenance, `create database ${COPY} template ${DATABASE} strategy file_copy`);
  return { url: server.url(COPY), drop };
}

function environment(server: BenchServer, secretsKey: string): Loaded['env'] {
  return { DATABASE_URL: server.url(DATABASE), SECRETS_KEY: secretsKey, LOG_LEVEL: 'warn' };
}

/** Of all that decides what rows a load ends in, as far as the repository says. */
function digestOf(items: number): string {
  const hash = createHash('sha256').update(`${items} items, ${YEARS} years`);
  for (const set of ['write', 'read']) {
    const folder = join(packageRoot(), 'migrations', set);
    for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(join(folder, file)));
  }
  for (const { name, version } of areas.flatMap(({ projections }) => projections))
    hash.update(`${name} ${version}`);
  return hash.digest('hex');
}

/** Undefined unless the server has a whole load of that digest. */
async function keptNote(server: BenchServer, digest: string): Promise<Note | undefined> {
  const databases = await execute(server.url('postgres'), 'select from pg_database where datname = $1', [
    DATABASE,
  ]);
  if (databases.length === 0) return undefined;
  const url = server.url(DATABASE);
  const [{ table }] = await execute<{ table: string | null }>(
    url,
    `select to_regclass('bench.load')::text as table`,
  );
  if (table === null) return undefined;
  const [kept] = await execute<{ note: Note }>(url, 'select note from bench.load');
  return kept?.note.digest === digest ? kept.note : undefined;
}

async function load(server: BenchServer, items: number, digest: string): Promise<Note> {
  await execute(server.url('postgres'), `drop database if exists ${DATABASE}`);
  await execute(server.url('postgres'), `create database ${DATABASE}`);
  const secretsKey = randomBytes(32).toString('base64');
  const env = environment(server, secretsKey);
  await migrate(env.DATABASE_URL, 'write');
  await migrate(env.DATABASE_URL, 'read');
  const credentials = await createTenants(
    env,
    TENANTS.map(({ alias }) => alias),
  );
  const projector = await startApp('projector', env);
  try {
    for (const { alias, part } of TENANTS) {
      const size = ['--items', String(Math.round(items / part)), '--years', String(YEARS)];
      const loaded = await cli<object>(env, 'demo', 'load', '--tenant', alias, ...size);
      process.stderr.write(`${JSON.stringify(loaded)}\n`);
    }
    await caughtUp(projector);
  } finally {
    await projector.stop();
  }
  for (const { alias, part } of TENANTS) await requireRows(env.DATABASE_URL, alias, Math.round(items / part));
  await execute(env.DATABASE_URL, 'vacuum analyze');
  const note: Note = { digest, secretsKey, credentials };
  await execute(env.DATABASE_URL, 'create schema bench');
  await execute(env.DATABASE_URL, 'create table bench.load (note jsonb not null)');
  await execute(env.DATABASE_URL, 'insert into bench.load values ($1)', [note]);
  return note;
}

/** Until every read model shows every event. */
async function caughtUp({ baseUrl, pid }: RunningApp): Promise<void> {
  await waitFor(
    async () => {
      const text = await (await fetch(`${baseUrl}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line.startsWith('projection_lag_seconds{'));
      if (lines.length > 0 && lines.every((line) => line.endsWith(' 0'))) return true;
      await delay(1000); // to ask costs the store a look for the oldest event of every partition
      return false;
    },
    { timeoutMs: CATCH_UP_MS, description: `projector ${pid} to have caught up` },
  );
}

async function requireRows(url: string, alias: string, expected: number): Promise<void> {
  const [{ count }] = await execute<{ count: string }>(
    url,
    `select count(*) from platform.tenants t
     join read_model.work_items w on ${live('work-items', 'w', 't.id')}
     where t.alias = $1`,
    [alias],
  );
  if (Number(count) !== expected) throw new Error(`${alias} has ${count} work items of ${expected}`);
}
