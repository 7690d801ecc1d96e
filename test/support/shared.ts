import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInstallation } from './installation';
import { startBroker } from './kafka/broker';
import { startApp } from './process';

/** What is started only once for all test files of a run, when the first of them asks for it. */
const starts = { local: startLocal, kafka: startKafka };
type Name = keyof typeof starts;
type Started = { what: unknown; stop(): Promise<void> };
type What<N extends Name> = Awaited<ReturnType<(typeof starts)[N]>>['what'];

/** Starts what test files ask for, and tells them where it is. */
export async function serveShared(): Promise<{ url: string; stop(): Promise<void> }> {
  const started = new Map<Name, Promise<Started>>();
  const server = createServer(async (request, response) => {
    const name = request.url?.slice(1) as Name;
    try {
      if (!started.has(name)) started.set(name, starts[name]());
      response.end(JSON.stringify((await started.get(name)!).what));
    } catch (error) {
      response.writeHead(500).end((error as Error).stack);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await once(server.close(), 'close');
      const all = await Promise.allSettled(started.values());
      const running = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      for (const one of await Promise.allSettled(running.map(({ stop }) => stop())))
        if (one.status === 'rejected') throw one.reason;
    },
  };
}

/**
 * `local`: a process of that name, for tests that only use tenants of their own. `kafka`: brokers, for tests that only
 * use topics of their own and do not kill the brokers.
 */
export async function shared<N extends Name>(name: N): Promise<What<N>> {
  const { TEST_SHARED_URL: url } = process.env;
  if (!url) throw new Error('Only tests named *.int.spec.ts and *.e2e.spec.ts share anything');
  const answer = await fetch(`${url}/${name}`);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as What<N>;
}

async function startLocal() {
  const { remove, ...installation } = await createInstallation();
  const app = await startApp('local', installation.env).catch(async (error: Error) => {
    await remove();
    throw error;
  });
  return {
    what: { ...installation, baseUrl: app.baseUrl },
    async stop() {
      const code = await app.stop('SIGINT');
      await remove();
      if (code !== 0) throw new Error(`The shared process ended with ${code}:\n${app.output()}`);
    },
  };
}

async function startKafka() {
  const { brokers, stop } = await startBroker();
  return { what: brokers, stop };
}
