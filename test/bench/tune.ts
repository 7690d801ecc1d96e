import { readFileSync } from 'node:fs';
import { newId } from '#kernel/ids';
import { migrate } from '#platform/migrate';
import { execute } from '../support/database';
import { createContext, openStore } from '../support/store';
import { callers } from './support/rounds';
import { BenchWorkItem, workItemCreated } from './support/work-item';

const stat = () => readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/\s+/).slice(1).map(Number);
(async () => {
  const base = readFileSync('/tmp/tune/url', 'utf8');
  const name = `t_${Date.now()}`;
  await execute(base, `create database ${name}`);
  const u = new URL(base);
  u.pathname = name;
  await migrate(u.href, 'write');
  if (process.env.JSON3) { await execute(u.href, `alter table event_store.events alter data type json using data::json, alter metadata type json using metadata::json`); const [{ source }] = await execute<{ source: string }>(u.href, `select pg_get_functiondef('event_store.append'::regproc) as source`); await execute(u.href, source.replace('data[i]::jsonb', 'data[i]::json').replace('metadata[i]::jsonb', 'metadata[i]::json')); }
  await execute(u.href, `insert into platform.installation (region, partitions) values ('uk', 12)`);
  const opened = openStore(u.href, [BenchWorkItem]);
  if (process.env.LANES) (opened.appender as any).coalescer.options.lanes = Number(process.env.LANES);
  const context = await createContext(opened);
  for (const [n, s] of [[100,1],[10,2],[100,2],[400,2]]) {
    const s0 = stat();
    const cpu = process.cpuUsage();
    const t = process.hrtime.bigint();
    const { rate, done } = await callers(n, s, () =>
      opened.store.execute(context, async (work) =>
        work.create(BenchWorkItem, newId('workitem'), [workItemCreated(1)]),
      ),
    );
    const c = process.cpuUsage(cpu);
    const wall = Number(process.hrtime.bigint() - t) / 1e3;
    const s1 = stat().map((v, i) => v - s0[i]);
    const busy = s1[0] + s1[2] + s1[5] + s1[6];
    console.log(
      n,
      Math.round(rate),
      `all ${((busy * 1e4) / done).toFixed(0)} us/event, idle ${((((s1[3] + s1[4]) * 1e4) / wall) * 100) | 0}% steal ${(((s1[7] * 1e4) / wall) * 100) | 0}%`,
      `node cpu ${((c.user + c.system) / wall).toFixed(2)} = ${((c.user + c.system) / done).toFixed(1)} us/event`,
    );
  }
  await opened.close();
  await execute(base, `drop database ${name} with (force)`);
})();
