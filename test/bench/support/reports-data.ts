import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '#platform/database/migrate';
import { live } from '#projections/live';
import type { Credentials } from '../../support/client';
import { execute } from '../../support/database';
import { startDeployed } from '../../support/deployed';
import type { RunningApp } from '../../support/process';
import { waitFor } from '../../support/wait-for';
import type { BenchServer } from './bench-server';
import { cli, createTenants } from './firm';
import { keptLoad, type LoadNote } from './kept-load';

const DATABASE = 'reports';
const COPY = 'reports_copy';
const YEARS = 5;
const CATCH_UP_MS = 3 * 3_600_000;
/** The tenant that is measured, and one with a tenth of its work items in the same tables. */
export const BIG = 'big';
const TENANTS = [
  { alias: BIG, part: 1 },
  { alias: 'small', part: 10 },
];

export interface Loaded {
  /** The environment of every process of this installation. */
  env: Record<'DATABASE_URL' | 'SECRETS_KEY' | 'LOG_LEVEL', string>;
  credentials: Credentials;
  tenantId: number;
  /** Number of that tenant's work items, including deleted ones. */
  items: number;
}

/**
 * Two firms as `demo load` makes them, with their read models: loaded now, or kept by the server from an earlier run.
 * Kept read models are rebuilt when migrations or their versions differ.
 */
export async function loadReports(server: BenchServer, items: number): Promise<Loaded> {
  const note = await keptLoad(server, DATABASE, {
    made: `${items} items, ${YEARS} years`,
    load: () => load(server, items),
    renew: ({ secretsKey }) => rebuild(environment(server, secretsKey)),
  });
  const env = environment(server, note.secretsKey);
  const [{ id }] = await execute<{ id: number }>(
    env.DATABASE_URL,
    'select id from platform.tenants where alias = $1',
    [BIG],
  );
  return { env, credentials: note.credentials, tenantId: id, items };
}

/** A copy of the database. Nothing may be connected to the database while it is copied. */
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

async function load(server: BenchServer, items: number): Promise<LoadNote> {
  const secretsKey = randomBytes(32).toString('base64');
  const env = environment(server, secretsKey);
  await migrateAll(env);
  const credentials = await createTenants(
    env,
    TENANTS.map(({ alias }) => alias),
  );
  const projector = await startDeployed('projector', env);
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
  return { secretsKey, credentials };
}

async function rebuild(env: Loaded['env']): Promise<void> {
  await migrateAll(env);
  const projector = await startDeployed('projector', env);
  try {
    await cli(env, 'projections', 'rebuild', '--all');
    await caughtUp(projector);
  } finally {
    await projector.stop();
  }
  await execute(env.DATABASE_URL, 'vacuum analyze');
}

async function migrateAll({ DATABASE_URL }: Loaded['env']): Promise<void> {
  await migrate(DATABASE_URL, 'write');
  await migrate(DATABASE_URL, 'read');
}

/** Waits until every read model shows every event. */
async function caughtUp({ baseUrl, pid }: RunningApp): Promise<void> {
  await waitFor(
    async () => {
      const text = await (await fetch(`${baseUrl}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line.startsWith('projection_lag_seconds{'));
      if (lines.length > 0 && lines.every((line) => line.endsWith(' 0'))) return true;
      await delay(1000); // each question makes the store look for the oldest event of every partition
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
