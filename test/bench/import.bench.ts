/**
 * Extracts a firm's tables over TDS into the staging area, compared with a bare stream of the driver over the same
 * statements that discards its rows, alternately and in one process. Then runs whole imports by a worker of their own:
 * how long they take compared with the extraction alone, and how much memory the worker used at most.
 * The source is the test's TDS server in a process of its own, over PostgreSQL. Both sides pay its cost.
 * Arguments: work items, rounds.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { SourceHosts } from '#import/connection/source-hosts';
import { Sources } from '#import/connection/sources';
import { Extraction } from '#import/extraction/extraction';
import { rowsStatement } from '#import/extraction/statements';
import { ImportSettings } from '#import/import-settings';
import { ImportRequests } from '#import/requests/import-requests';
import { ImportTurn } from '#import/requests/import-turn';
import { tables } from '#import/schema/schema-1.0';
import { migrate } from '#platform/database/migrate';
import { Secrets } from '#platform/secrets';
import { definitions } from '#practice/areas';
import { ApiClient, type Json, requestToken } from '../support/client';
import { execute } from '../support/database';
import { startDeployed } from '../support/deployed';
import { writeFirm } from '../support/firms/write-firm';
import type { RunningApp } from '../support/process';
import { openStore } from '../support/store';
import { connect, streamed } from '../support/tds/driver';
import { startTdsProcess } from '../support/tds/tds-process';
import { waitFor } from '../support/wait-for';
import { argument } from './support/argument';
import { startBenchServer } from './support/bench-server';
import { createTenants } from './support/firm';
import { median, report } from './support/rounds';

const WHOLE = 3_600_000;
/** Statuses in which no work grows with the number of rows. */
const WAITING = ['Queued', 'Connecting', 'CheckingSchema', 'PromotionQueued'];

interface Told {
  connectionString: string;
  ca: string;
}

interface Measured {
  rows: number;
  seconds: number;
}

async function timed(work: () => Promise<number>): Promise<Measured> {
  const began = performance.now();
  const rows = await work();
  return { rows, seconds: (performance.now() - began) / 1000 };
}

/** Runs every statement of an extraction and discards the rows. */
async function bare({ connectionString, ca }: Told): Promise<number> {
  const pool = await connect(connectionString, { ca, requestTimeout: 0 });
  let rows = 0;
  try {
    for (const table of tables)
      await streamed(pool, rowsStatement(table, table.columns, false)).run(() => {
        rows++;
      });
    return rows;
  } finally {
    await pool.close();
  }
}

/** Runs extractions of one tenant, one after another, as a worker does. */
function extractions(url: string, caFile: string, { connectionString }: Told) {
  const store = openStore(url, definitions);
  Object.assign(store.config, { IMPORT_ALLOWED: '127.0.0.0/8,::1', IMPORT_CA_FILE: caFile });
  const settings = new ImportSettings();
  const requests = new ImportRequests(store.writes, settings);
  const secrets = new Secrets(store.config.secretsKey);
  const sources = new Sources(new SourceHosts(store.config), store.config, settings);
  const extraction = new Extraction(sources, requests, store.writes, secrets, settings);
  const one = async (tenantId: number) => {
    const worker = randomUUID();
    await store.writes.pool.query(
      `insert into import.requests (id, tenant_id, message, connection, requested_by, queued_at, updated_at)
       values ($1, $2, 'Waiting', $3, 'cli', now(), now())`,
      [randomUUID(), tenantId, secrets.seal(connectionString)],
    );
    const taken = (await requests.take(worker))!;
    const turn = new ImportTurn(taken, { worker, requests, log: new Logger() });
    const measured = await timed(async () => {
      await extraction.run(turn);
      const { rows } = await store.writes.pool.query<{ read: number }>(
        'select sum(read)::float8 as read from import.tables where request_id = $1',
        [turn.requestId],
      );
      return rows[0].read;
    });
    await turn.end('Failed', 'Measured.');
    await turn.close();
    return measured;
  };
  return { one, close: () => store.close() };
}

interface Followed {
  requestId: string;
  /** Seconds from the first status of work to the end. */
  all: number;
  by: Record<string, number>;
}

/** Follows a request until its end: the seconds of each status, from the first one in which it works. */
async function followed(api: ApiClient, path: string, given: object, end: RegExp): Promise<Followed> {
  const { body } = await api.post(path, given);
  const at: Record<string, number> = {};
  const ended = await waitFor(
    async () => {
      const view: Json = (await api.get(`etl/import-status/${body.requestId}`)).body;
      at[view.status] ??= performance.now();
      return view.finishedAt !== null && view;
    },
    // Each answer costs a process on the same cores some milliseconds.
    { everyMs: 100, timeoutMs: WHOLE, description: 'the end' },
  );
  if (!end.test(ended.status)) throw new Error(`It ended so: ${JSON.stringify(ended)}`);
  const began = Object.entries(at).filter(([name]) => !WAITING.includes(name));
  const seconds = began
    .slice(0, -1)
    .map(([name, time], index) => [name, (began[index + 1][1] - time) / 1000] as const);
  const all = seconds.reduce((sum, [, each]) => sum + each, 0);
  process.stderr.write(`${seconds.map(([name, each]) => `${name} ${each.toFixed(1)} s`).join(', ')}\n`);
  return { requestId: body.requestId, all, by: Object.fromEntries(seconds) };
}

/** The greatest amount of memory that a process has used, in MB. */
function peakOf({ pid }: RunningApp): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

async function main(): Promise<void> {
  const items = argument(1, 'work items', 100_000);
  const rounds = argument(2, 'rounds', 3);
  const server = await startBenchServer();
  const folder = mkdtempSync(join(tmpdir(), 'practice-import-'));
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  const start = async (starting: Promise<RunningApp>) => {
    const app = await starting;
    closing.push(() => app.stop());
    return app;
  };
  try {
    for (const name of ['source', 'staged', 'whole'])
      await execute(server.url('postgres'), `create database ${name}`);
    const client = new Client(server.url('source'));
    await client.connect();
    const firm = await writeFirm(client, { items });
    await client.end();
    const expected = Object.values(firm.rows).reduce((sum, rows) => sum + rows, 0);
    const source = await startTdsProcess({ database: server.url('source') });
    closing.push(() => source.stop());
    const told = { connectionString: source.connectionString(), ca: source.caCertificate };
    const caFile = join(folder, 'ca.pem');
    writeFileSync(caFile, told.ca);

    await migrate(server.url('staged'), 'write');
    const [{ id: tenantId }] = await execute<{ id: number }>(
      server.url('staged'),
      `with i as (insert into platform.installation (region, partitions) values ('uk', 12))
       insert into platform.tenants (alias, region, partition, stream_id) values ('bench', 'uk', 0, gen_random_uuid())
       returning id`,
    );
    const ours = extractions(server.url('staged'), caFile, told);
    closing.push(() => ours.close());
    const rates: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
    for (let round = 0; round <= rounds; round++) {
      const sides = { ours: await ours.one(tenantId), bare: await timed(() => bare(told)) };
      for (const [name, { rows, seconds }] of Object.entries(sides)) {
        if (rows !== expected) throw new Error(`${name} read ${rows} rows of ${expected}`);
        // The first round only warms both sides up.
        if (round > 0) rates[name as keyof typeof rates].push(rows / seconds);
        process.stderr.write(`round ${round}  ${name}: ${Math.round(rows / seconds)} rows/s\n`);
      }
    }

    const env = {
      ...{
        DATABASE_URL: server.url('whole'),
        SECRETS_KEY: randomBytes(32).toString('base64'),
        LOG_LEVEL: 'warn',
      },
      ...{ IMPORT_ALLOWED: '127.0.0.0/8,::1', IMPORT_CA_FILE: caFile },
    };
    await migrate(env.DATABASE_URL, 'write');
    await migrate(env.DATABASE_URL, 'read');
    const credentials = await createTenants(env, ['bench']);
    const [command, query, projector, worker] = [
      await start(startDeployed('command', env)),
      await start(startDeployed('query', env)),
      await start(startDeployed('projector', env)),
      await start(startDeployed('worker', env)),
    ];
    const token = (await requestToken(command.baseUrl, credentials)).body.access_token as string;
    const api = new ApiClient('bench', token, { writes: command.baseUrl, reads: query.baseUrl });
    await waitFor(async () => (await api.rows('taxcodes')).length > 0, { description: 'the start data' });
    // Leaves the firm's own standard code as the only one, so that lines without a tax code are taxed by it.
    for (const { id, category } of await api.rows('taxcodes'))
      if (category === 'Standard') await api.data('DELETE', `taxcodes/${id}`);
    const { connectionString } = told;
    const imported = await followed(api, 'etl/import', { connectionString }, /^Validated/);
    const peak = peakOf(worker);
    const { requestId } = imported;
    const promoted = await followed(api, 'etl/promote-to-production', { requestId }, /^Promoted$/);

    const [{ server_version }] = await execute<{ server_version: string }>(
      server.url('whole'),
      'show server_version',
    );
    report(
      'import',
      { 'extraction vs bare driver': median(rates.ours) / median(rates.bare) },
      {
        'work items': items,
        rows: expected,
        'extraction rows/s': median(rates.ours),
        'bare driver rows/s': median(rates.bare),
        'whole import s': imported.all,
        'of that extraction s': imported.by.Extracting,
        'of that validation s': imported.by.Validating,
        'of that loading s': imported.by.Loading,
        'whole import ÷ extraction': imported.all / imported.by.Extracting,
        "worker's peak MB": peak,
        'promotion s': promoted.all,
        'promotion rows/s': expected / promoted.all,
        "worker's peak after the promotion MB": peakOf(worker),
        "projector's peak MB": peakOf(projector),
      },
      server_version,
    );
  } finally {
    for (const close of closing.reverse()) await close();
    await server.stop();
  }
}

void main();
