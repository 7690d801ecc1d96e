import { readFileSync } from 'node:fs';
import { newId } from '#kernel/ids';
import { migrate } from '#platform/migrate';
import { execute } from '../support/database';
import { createContext, openStore } from '../support/store';
import { callers } from './support/rounds';
import { BenchWorkItem, workItemCreated } from './support/work-item';
(async () => {
  const base = readFileSync('/tmp/tune/url', 'utf8');
  const name = `t_${Date.now()}`;
  await execute(base, `create database ${name}`);
  const u = new URL(base); u.pathname = name;
  await migrate(u.href, 'write');
  await execute(u.href, `insert into platform.installation (region, partitions) values ('uk', 12)`);
  const opened = openStore(u.href, [BenchWorkItem]);
  const context = await createContext(opened);
  for (const [n, s] of [[10, 2], [10, 3], [100, 3], [400, 3]]) {
    const cpu = process.cpuUsage();
    const t = process.hrtime.bigint();
    const { rate, done } = await callers(n, s, () => opened.store.execute(context, async (work) => work.create(BenchWorkItem, newId('workitem'), [workItemCreated(1)])));
    const c = process.cpuUsage(cpu); const wall = Number(process.hrtime.bigint() - t) / 1e3;
    console.log(n, Math.round(rate), `node cpu ${((c.user + c.system) / wall).toFixed(2)} = ${((c.user + c.system) / done).toFixed(1)} us/event`);
  }
  await opened.close();
  await execute(base, `drop database ${name} with (force)`);
})();
