/**
 * The cost of sealing to appends: appends of one event each, acknowledged after commit, with and without a worker's
 * sealing job beside them, on one store. The job is never idle, because it also has to seal what was appended without
 * it.
 * First argument: seconds of a run.
 */
import { SealVerification } from '#event-store/seals/seal-verification';
import { Sealing } from '#event-store/seals/sealing';
import { Seals } from '#event-store/seals/seals';
import { SystemClock } from '#kernel/clock';
import { newId } from '#kernel/ids';
import { migrate } from '#platform/database/migrate';
import { execute } from '../support/database';
import { createContext, openStore } from '../support/store';
import { argument } from './support/argument';
import { startBenchServer } from './support/bench-server';
import { type Contestant, callers, pairs, report } from './support/rounds';
import { BenchWorkItem, workItemCreated } from './support/work-item';

const CALLERS = [10, 100];
const TENANTS = 24;
const PAIRS = 40;

async function main(): Promise<void> {
  const seconds = argument(1, 'seconds', 1);
  const server = await startBenchServer();
  const url = server.url('postgres');
  await migrate(url, 'write');
  await execute(url, `insert into platform.installation (region, partitions) values ('uk', 12)`);
  const opened = openStore(url, [BenchWorkItem]);
  const worker = openStore(url, [BenchWorkItem]);
  try {
    const contexts = await Promise.all(Array.from({ length: TENANTS }, () => createContext(opened)));
    let said = 0;
    let next = 0;
    const append = () =>
      opened.store.execute(contexts[next++ % TENANTS], async (work) =>
        work.create(BenchWorkItem, newId('workitem'), [workItemCreated(next)]),
      );
    const run = async (concurrency: number, seconds: number) => {
      const { done, rate } = await callers(concurrency, seconds, append);
      said += done;
      return rate;
    };
    const ratios: Record<string, number> = {};
    const figures: Record<string, number> = {};
    for (const concurrency of CALLERS) {
      const without: Contestant = {
        name: `without sealing, ${concurrency} callers`,
        run: (seconds) => run(concurrency, seconds),
      };
      const sealed: Contestant = {
        name: `with sealing, ${concurrency} callers`,
        async run(seconds) {
          const sealing = new Sealing(worker.writes, worker.feed, new SystemClock());
          sealing.start();
          try {
            return await run(concurrency, seconds);
          } finally {
            await sealing.onApplicationShutdown();
          }
        },
      };
      const { ratio, rates } = await pairs([sealed, without], { count: PAIRS, seconds });
      ratios[`with sealing vs without, ${concurrency} callers`] = ratio;
      figures[`${sealed.name}, events/s`] = Math.round(rates[0]);
      figures[`${without.name}, events/s`] = Math.round(rates[1]);
    }

    const verification = new SealVerification(worker.writes);
    const total = async (what: 'sealed' | 'unsealed') =>
      (await verification.verify()).reduce((sum, proof) => sum + proof[what], 0);
    const sealed = await total('sealed');
    if (sealed === 0) throw new Error('Nothing was sealed beside the appends');
    const began = performance.now();
    const rest = await new Seals(worker.writes, worker.feed).sealNow();
    const sealRate = rest / ((performance.now() - began) / 1000);
    const verified = performance.now();
    const proofs = await verification.verify();
    const verifyRate = said / ((performance.now() - verified) / 1000);
    if (proofs.some(({ problem }) => problem !== null) || sealed + rest !== said)
      throw new Error(`${said} events were acknowledged, ${sealed + rest} sealed`);

    const [{ server_version }] = await execute<{ server_version: string }>(url, 'show server_version');
    report(
      'seals',
      ratios,
      {
        ...figures,
        'sealed beside the appends, events': sealed,
        'audit seal, events/s': Math.round(sealRate),
        'audit verify, events/s': Math.round(verifyRate),
      },
      server_version,
    );
  } finally {
    await opened.close();
    await worker.close();
    await server.stop();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
