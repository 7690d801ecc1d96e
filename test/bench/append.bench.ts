/**
 * Appends of one event each, acknowledged after commit, on one server: by this store, by Emmett's, and by pgbench as a
 * plain INSERT of a row of the same size. This store also writes the stream's folded state beside the event.
 * First argument: seconds of a round.
 */
import { randomBytes } from 'node:crypto';
import { newId } from '#kernel/ids';
import { migrate } from '#platform/database/migrate';
import { execute } from '../support/database';
import { createContext, openStore } from '../support/store';
import { argument } from './support/argument';
import { startBenchServer } from './support/bench-server';
import { importPeer } from './support/peers';
import { pgbench } from './support/pgbench';
import { type Contestant, callers, report, rounds } from './support/rounds';
import { BenchWorkItem, workItemCreated } from './support/work-item';

interface EmmettStore {
  schema: { migrate(): Promise<void> };
  appendToStream(stream: string, events: object[]): Promise<unknown>;
  close(): Promise<void>;
}
type Emmett = { getPostgreSQLEventStore(url: string): EmmettStore };

const CALLERS = [10, 100, 400];

/** The number of appends that a contestant counted, and where its table can be counted. */
interface Count {
  said: number;
  sql: string;
  url: string;
}

interface Side {
  contestants: Contestant[];
  close(): Promise<void>;
}

async function ours(url: string, counts: Count[]): Promise<Side> {
  await migrate(url, 'write');
  await execute(url, `insert into platform.installation (region, partitions) values ('uk', 12)`);
  const opened = openStore(url, [BenchWorkItem]);
  const context = await createContext(opened);
  const count: Count = { said: 0, url, sql: 'select count(*) from event_store.events' };
  counts.push(count);
  const contestants = CALLERS.map(
    (concurrency): Contestant => ({
      name: `ours, ${concurrency} callers`,
      async run(seconds) {
        const { done, rate } = await callers(concurrency, seconds, () =>
          opened.store.execute(context, async (work) =>
            work.create(BenchWorkItem, newId('workitem'), [workItemCreated(count.said)]),
          ),
        );
        count.said += done;
        return rate;
      },
    }),
  );
  return { contestants, close: () => opened.close() };
}

async function emmett(url: string, counts: Count[]): Promise<Side> {
  const { getPostgreSQLEventStore } = await importPeer<Emmett>('emmett.mjs');
  const store = getPostgreSQLEventStore(url);
  await store.schema.migrate();
  const count: Count = { said: 0, url, sql: 'select count(*) from emt_messages' };
  counts.push(count);
  const contestant: Contestant = {
    name: 'emmett, 10 callers',
    async run(seconds) {
      const { done, rate } = await callers(10, seconds, () =>
        store.appendToStream(newId('workitem'), [workItemCreated(count.said)]),
      );
      count.said += done;
      return rate;
    },
  };
  return { contestants: [contestant], close: () => store.close() };
}

async function plain(url: string, counts: Count[]): Promise<Side> {
  await execute(
    url,
    `create table plain (id bigint generated always as identity primary key, stream uuid not null, type text not null,
       data jsonb not null, recorded_at timestamptz not null default now())`,
  );
  const count: Count = { said: 0, url, sql: 'select count(*) from plain' };
  counts.push(count);
  const { type, data } = workItemCreated(0);
  // pgbench takes a colon before a letter or a digit for the beginning of a variable.
  const json = JSON.stringify(data, null, 1).replaceAll(/:(?=\w)/g, '\\u003a');
  const script = `insert into plain (stream, type, data) values (gen_random_uuid(), '${type}', '${json}');`;
  const contestants = (['simple', 'prepared'] as const).map(
    (protocol): Contestant => ({
      name: protocol === 'simple' ? 'pgbench, 10 clients' : 'pgbench, 10 clients, prepared',
      async run(seconds) {
        const { done, rate } = await pgbench(url, script, { clients: 10, seconds, protocol });
        count.said += done;
        return rate;
      },
    }),
  );
  return { contestants, close: async () => undefined };
}

async function main(): Promise<void> {
  const seconds = argument(1, 'seconds', 2);
  const server = await startBenchServer();
  const sides: Side[] = [];
  try {
    const counts: Count[] = [];
    for (const open of [ours, emmett, plain]) {
      const name = `bench_${randomBytes(4).toString('hex')}`;
      await execute(server.url('postgres'), `create database ${name}`);
      sides.push(await open(server.url(name), counts));
    }
    const rates = await rounds(
      sides.flatMap(({ contestants }) => contestants),
      { count: 5, seconds },
    );
    for (const { said, sql, url } of counts) {
      const [{ count }] = await execute<{ count: string }>(url, sql);
      if (Number(count) !== said) throw new Error(`${sql}: ${count} rows, ${said} were acknowledged`);
    }
    const [{ server_version }] = await execute<{ server_version: string }>(
      server.url('postgres'),
      'show server_version',
    );
    const rate = (name: string) => rates.get(name)!;
    report(
      'append',
      {
        'vs emmett, 10 callers': rate('ours, 10 callers') / rate('emmett, 10 callers'),
        'vs pgbench, 100 callers': rate('ours, 100 callers') / rate('pgbench, 10 clients'),
      },
      Object.fromEntries([...rates].map(([name, value]) => [`${name}, events/s`, Math.round(value)])),
      server_version,
    );
  } finally {
    for (const { close } of sides) await close();
    await server.stop();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
