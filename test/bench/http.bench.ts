/**
 * POST /workitems through the whole stack (token, grant, limit, validation, rules, event store), compared with a bare
 * Fastify that inserts one row per request. Client, service and PostgreSQL run on one machine.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { migrate } from '#platform/database/migrate';
import { packageRoot } from '#platform/package-root';
import { requestToken } from '../support/client';
import { execute } from '../support/database';
import { nodeFlags, startDeployed } from '../support/deployed';
import { type RunningApp, startProcess } from '../support/process';
import { argument } from './support/argument';
import { startBenchServer } from './support/bench-server';
import { createTenants, openFirm, someWork } from './support/firm';
import { type Contestant, report, rounds } from './support/rounds';

const CONNECTIONS = 100;

interface Side extends Contestant {
  /** Requests that were answered with 201. */
  said: number;
}

/** A side that must answer every request with 201. */
function contestant(name: string, address: string, token: string, body: object): Side {
  const side: Side = {
    name,
    said: 0,
    async run(seconds) {
      // A fixed number of requests, so that no uncounted request is in progress when the time is over.
      const amount = seconds * 3000;
      const began = process.hrtime.bigint();
      let last = began;
      const result = await new Promise<autocannon.Result>((resolve, reject) => {
        const run = autocannon(
          {
            url: address,
            method: 'POST',
            connections: CONNECTIONS,
            amount,
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          },
          (error, done) => (error ? reject(error) : resolve(done)),
        );
        // autocannon itself reads the clock only once a second.
        run.on('response', () => {
          last = process.hrtime.bigint();
        });
      });
      const elapsed = Number(last - began) / 1e9;
      if (result['2xx'] !== amount)
        throw new Error(`${name}: ${result['2xx']} of ${amount} requests were answered 201`);
      side.said += amount;
      return amount / elapsed;
    },
  };
  return side;
}

async function main(): Promise<void> {
  const seconds = argument(1, 'seconds', 4);
  const server = await startBenchServer();
  const apps: RunningApp[] = [];
  try {
    await execute(server.url('postgres'), 'create database ours');
    await execute(server.url('postgres'), 'create database bare');
    await execute(
      server.url('bare'),
      `create table plain (id bigint generated always as identity primary key, stream uuid not null, type text not null,
         data jsonb not null, recorded_at timestamptz not null default now())`,
    );
    const env = {
      DATABASE_URL: server.url('ours'),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'warn',
    };
    await migrate(env.DATABASE_URL, 'write');
    await migrate(env.DATABASE_URL, 'read');
    const credentials = await createTenants(env, ['bench']);
    const command = await startDeployed('command', env);
    apps.push(command);
    const bare = await startProcess(
      join(packageRoot(), 'dist/test/bench/support/bare-fastify.js'),
      { DATABASE_URL: server.url('bare') },
      nodeFlags('command'),
    );
    apps.push(bare);

    const token = (await requestToken(command.baseUrl, credentials)).body.access_token as string;
    const firm = await openFirm(command.baseUrl, 'bench', token, { employees: 1, matters: 1 });
    const body = someWork(firm);
    const ours = contestant('POST /workitems', `${command.baseUrl}/bench/api/v1/workitems`, token, body);
    const floor = contestant('bare Fastify + INSERT', `${bare.baseUrl}/workitems`, token, body);
    const rates = await rounds([ours, floor], { count: 5, seconds });

    const counts = [
      [ours, env.DATABASE_URL, `select count(*) from event_store.streams where kind = 'workitem'`],
      [floor, server.url('bare'), 'select count(*) from plain'],
    ] as const;
    for (const [side, url, sql] of counts) {
      const [{ count }] = await execute<{ count: string }>(url, sql);
      if (Number(count) !== side.said)
        throw new Error(`${side.name}: ${count} rows, ${side.said} were acknowledged`);
    }
    const [{ server_version }] = await execute<{ server_version: string }>(
      env.DATABASE_URL,
      'show server_version',
    );
    report(
      'http',
      { 'vs bare fastify': rates.get(ours.name)! / rates.get(floor.name)! },
      Object.fromEntries([...rates].map(([name, rate]) => [`${name}, requests/s`, Math.round(rate)])),
      server_version,
    );
  } finally {
    for (const app of apps) await app.stop();
    await server.stop();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
